//! Options of passes: the fields of a struct, which pipelines set by name, `{key=value other=value}`.

use std::any::Any;

/// The options of a pass, with their defaults.
pub trait PassOptions: Clone + Default + Send + Sync + 'static {
    /// Its fields, as pipelines name them.
    const OPTIONS: &'static [PassOption<Self>];
}

/// No options.
impl PassOptions for () {
    const OPTIONS: &'static [PassOption<()>] = &[];
}

/// One option of a pass.
pub struct PassOption<O> {
    /// The key.
    pub name: &'static str,
    /// One sentence for the documentation.
    pub summary: &'static str,
    /// The field with its value.
    pub field: fn(&mut O) -> &mut dyn OptionValue,
}

/// A value that has a text in pipelines, without spaces, commas and braces.
pub trait OptionValue {
    /// The texts that it allows, for the documentation.
    fn allowed(&self) -> String;

    /// Its text.
    fn text(&self) -> String;

    /// Sets it from its text; the error states what was expected.
    fn set(&mut self, text: &str) -> Result<(), String>;
}

impl OptionValue for bool {
    fn allowed(&self) -> String {
        "true|false".to_string()
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), String> {
        *self = text.parse().map_err(|_| "'true' or 'false'")?;
        Ok(())
    }
}

impl OptionValue for usize {
    fn allowed(&self) -> String {
        "N".to_string()
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), String> {
        *self = text.parse().map_err(|_| "an integer that is not negative")?;
        Ok(())
    }
}

/// A value that is one of a few, each with a name.
pub trait Choice: Copy + PartialEq + 'static {
    /// All of them.
    const CHOICES: &'static [(&'static str, Self)];
}

impl<T: Choice> OptionValue for T {
    fn allowed(&self) -> String {
        names::<T>("|")
    }

    fn text(&self) -> String {
        let own = T::CHOICES.iter().find(|(_, choice)| choice == self);
        own.expect("every value is listed").0.to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), String> {
        let choice = T::CHOICES.iter().find(|(name, _)| *name == text);
        *self = choice.ok_or_else(|| format!("one of {}", names::<T>(", ")))?.1;
        Ok(())
    }
}

fn names<T: Choice>(separator: &str) -> String {
    T::CHOICES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(separator)
}

/// An option as the documentation shows it.
pub struct OptionDescription {
    /// The key.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The texts that it allows.
    pub allowed: String,
    /// Its text.
    pub text: String,
}

/// The options of some pass.
pub trait AnyOptions: Any + Send + Sync {
    /// The same options, for a pass that knows their type.
    fn as_any(&self) -> &dyn Any;

    /// A copy.
    fn boxed(&self) -> Box<dyn AnyOptions>;

    /// Every option with its value.
    fn describe(&self) -> Vec<OptionDescription>;

    /// Sets an option from its text.
    ///
    /// # Errors
    /// If there is no such option, or it does not allow the text.
    fn set(&mut self, name: &str, text: &str) -> Result<(), String>;
}

impl<O: PassOptions> AnyOptions for O {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn AnyOptions> {
        Box::new(self.clone())
    }

    fn describe(&self) -> Vec<OptionDescription> {
        let mut own = self.clone();
        let describe = |option: &PassOption<O>| {
            let value = (option.field)(&mut own);
            let (name, summary) = (option.name, option.summary);
            OptionDescription { name, summary, allowed: value.allowed(), text: value.text() }
        };
        O::OPTIONS.iter().map(describe).collect()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        let option = O::OPTIONS.iter().find(|option| option.name == name);
        let option = option.ok_or_else(|| format!("'{name}' is not an option"))?;
        let wrong = |expected| format!("option '{name}' must be {expected}, found '{text}'");
        (option.field)(self).set(text).map_err(wrong)
    }
}
