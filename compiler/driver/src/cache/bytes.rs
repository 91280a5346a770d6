//! Serialisation of words, texts and byte strings.

/// The bytes written so far.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn word(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    /// The length of a list, then its items.
    pub(crate) fn list<T>(&mut self, items: &[T], mut one: impl FnMut(&mut Writer, &T)) {
        self.word(items.len() as u64);
        items.iter().for_each(|item| one(self, item));
    }

    pub(crate) fn texts(&mut self, texts: &[String]) {
        self.list(texts, |writer, text| writer.text(text));
    }
}

/// The bytes that remain; reading returns `None` if they are malformed.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    pub(crate) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok()
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let length = self.size()?;
        String::from_utf8(self.bytes(length)?.to_vec()).ok()
    }

    pub(crate) fn list<T>(&mut self, mut one: impl FnMut(&mut Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
        let count = self.size()?;
        (0..count).map(|_| one(self)).collect()
    }

    pub(crate) fn texts(&mut self) -> Option<Vec<String>> {
        self.list(Reader::text)
    }
}
