//! A reader for the fields of a Protocol Buffers message, as far as model files need it.

/// A message that ends too early, or has a field of an unknown kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WireFault;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Number(u64),
    /// A text, bytes, or a message inside of this one.
    Bytes(&'a [u8]),
    Word([u8; 4]),
    Long,
}

impl<'a> Value<'a> {
    /// The bytes of a field that has some.
    pub(super) const fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// The fields of a message, in the order of the file, with their numbers.
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(super) const fn of(message: &'a [u8]) -> Self {
        Self(message)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], WireFault> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(WireFault)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, WireFault> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(WireFault)
    }

    fn field(&mut self) -> Result<(u64, Value<'a>), WireFault> {
        let tag = self.number()?;
        let value = match tag & 7 {
            0 => Value::Number(self.number()?),
            1 => self.take(8).map(|_| Value::Long)?,
            2 => {
                let length = usize::try_from(self.number()?).map_err(|_| WireFault)?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Word(self.take(4)?.try_into().map_err(|_| WireFault)?),
            _ => return Err(WireFault),
        };
        Ok((tag >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), WireFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            // What follows cannot be read either.
            self.0 = &[];
        }
        Some(field)
    }
}

/// Numbers of a repeated field that are stored together.
pub(super) fn packed(bytes: &[u8]) -> Result<Vec<u64>, WireFault> {
    let mut fields = Fields::of(bytes);
    let mut numbers = Vec::new();
    while !fields.0.is_empty() {
        numbers.push(fields.number()?);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_read_in_order_with_their_kinds() {
        let message = [0x08, 0x96, 0x01, 0x12, 2, b'a', b'b', 0x1d, 1, 2, 3, 4, 0x21, 0, 0, 0, 0, 0, 0, 0, 0];
        let fields: Vec<_> = Fields::of(&message).map(Result::unwrap).collect();
        let wanted =
            [(1, Value::Number(150)), (2, Value::Bytes(b"ab")), (3, Value::Word([1, 2, 3, 4])), (4, Value::Long)];
        assert_eq!(fields, wanted);
        assert_eq!(packed(&[1, 0x96, 1]), Ok(vec![1, 150]));
    }

    #[test]
    fn a_message_that_ends_too_early_is_an_error_once() {
        assert_eq!(Fields::of(&[0x12, 9, b'a']).collect::<Vec<_>>(), [Err(WireFault)]);
        assert_eq!(packed(&[0x80]), Err(WireFault));
    }

    proptest! {
        #[test]
        fn any_bytes_come_to_an_end(bytes: Vec<u8>) {
            prop_assert!(Fields::of(&bytes).count() <= bytes.len());
        }
    }
}
