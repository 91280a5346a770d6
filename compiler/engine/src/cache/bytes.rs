//! Serialisation of words, texts and byte strings.

/// The bytes written so far.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Writes a little-endian word.
    pub fn word(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }

    /// Writes a text after its length.
    pub fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    /// The length of a list, then its items.
    pub fn list<T>(&mut self, items: &[T], mut one: impl FnMut(&mut Writer, &T)) {
        self.word(items.len() as u64);
        items.iter().for_each(|item| one(self, item));
    }

    /// Writes a list of texts.
    pub fn texts(&mut self, texts: &[String]) {
        self.list(texts, |writer, text| writer.text(text));
    }
}

/// The bytes that remain; reading returns `None` if they are malformed.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next bytes.
    pub fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// A little-endian word.
    pub fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    /// A word that is a size.
    pub fn size(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok()
    }

    /// A text.
    pub fn text(&mut self) -> Option<String> {
        let length = self.size()?;
        String::from_utf8(self.bytes(length)?.to_vec()).ok()
    }

    /// A list, whose items `one` reads.
    pub fn list<T>(&mut self, mut one: impl FnMut(&mut Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
        let count = self.size()?;
        (0..count).map(|_| one(self)).collect()
    }

    /// A list of texts.
    pub fn texts(&mut self) -> Option<Vec<String>> {
        self.list(Reader::text)
    }
}
