//! Reads JSON structs only from objects, at every depth.
//!
//! serde also reads a struct from a list, with the values as fields in order: `{"budgets": [1, 2]}`
//! would set two budgets that the client never named. This wraps a deserializer and refuses that.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};

/// Wraps a deserializer, visitor or seed, so that every struct below it is read by field names.
pub(super) struct NamedFields<T> {
    inner: T,
    /// Whether a struct is expected here.
    is_struct: bool,
    /// Whether a whole number is expected here. JSON Schema counts `1.0` as one, and some clients
    /// write it so.
    is_whole: bool,
}

impl<T> NamedFields<T> {
    pub(super) const fn new(inner: T) -> Self {
        Self { inner, is_struct: false, is_whole: false }
    }
}

/// Forwards a method of [`Deserializer`] with the visitor wrapped.
macro_rules! forward {
    ($($method:ident($($name:ident: $kind:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $kind,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($name,)* NamedFields::new(visitor))
        }
    )*};
}

/// The same for whole numbers.
macro_rules! forward_whole {
    ($($method:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(NamedFields { inner: visitor, is_struct: false, is_whole: true })
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for NamedFields<D> {
    type Error = D::Error;

    forward_whole! {
        deserialize_i8; deserialize_i16; deserialize_i32; deserialize_i64; deserialize_u8; deserialize_u16; deserialize_u32;
        deserialize_u64;
    }

    forward! {
        deserialize_any(); deserialize_bool(); deserialize_f32(); deserialize_f64();
        deserialize_char(); deserialize_str(); deserialize_string(); deserialize_bytes(); deserialize_byte_buf();
        deserialize_option(); deserialize_unit(); deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str); deserialize_seq(); deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize); deserialize_map();
        deserialize_enum(name: &'static str, variants: &'static [&'static str]); deserialize_identifier();
        deserialize_ignored_any();
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_struct(name, fields, NamedFields { inner: visitor, is_struct: true, is_whole: false })
    }
}

/// Forwards a plain value.
macro_rules! plain {
    ($($method:ident: $kind:ty;)*) => {$(
        fn $method<E: Error>(self, value: $kind) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for NamedFields<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_struct { f.write_str("an object with named fields") } else { self.inner.expecting(f) }
    }

    plain! {
        visit_bool: bool; visit_i64: i64; visit_u64: u64; visit_str: &str; visit_borrowed_str: &'de str;
        visit_string: String; visit_bytes: &[u8]; visit_borrowed_bytes: &'de [u8]; visit_byte_buf: Vec<u8>;
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        /// Every whole number up to here is exact as a float.
        const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
        if !self.is_whole || value.fract() != 0.0 || value.abs() > EXACT_MAX {
            return self.inner.visit_f64(value);
        }
        #[allow(clippy::cast_possible_truncation, reason = "it is whole and in range")]
        let whole = value as i64;
        match u64::try_from(whole) {
            Ok(whole) => self.inner.visit_u64(whole),
            Err(_) => self.inner.visit_i64(whole),
        }
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(NamedFields::new(inner))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(NamedFields::new(inner))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        if self.is_struct {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        self.inner.visit_seq(NamedFields::new(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(NamedFields::new(map))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(NamedFields::new(variant))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for NamedFields<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(NamedFields::new(deserializer))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for NamedFields<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        self.inner.next_element_seed(NamedFields::new(seed))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for NamedFields<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.inner.next_key_seed(NamedFields::new(seed))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.next_value_seed(NamedFields::new(seed))
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for NamedFields<A> {
    type Error = A::Error;
    type Variant = NamedFields<A::Variant>;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self::Variant), A::Error> {
        let (value, variant) = self.inner.variant_seed(NamedFields::new(seed))?;
        Ok((value, NamedFields::new(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for NamedFields<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.newtype_variant_seed(NamedFields::new(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.inner.tuple_variant(len, NamedFields::new(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.inner.struct_variant(fields, NamedFields { inner: visitor, is_struct: true, is_whole: false })
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Outer {
        inner: Option<Inner>,
        list: Vec<Inner>,
        pair: (u8, u8),
        free: serde_json::Value,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        a: u8,
        #[serde(default)]
        b: Kind,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        #[default]
        Plain,
        With {
            c: u8,
        },
    }

    fn read(text: &str) -> Result<Outer, serde_json::Error> {
        Outer::deserialize(NamedFields::new(&mut serde_json::Deserializer::from_str(text)))
    }

    #[test]
    fn objects_lists_pairs_and_anything_are_read_as_ever() {
        let text =
            r#"{"inner": {"a": 1, "b": {"with": {"c": 2}}}, "list": [{"a": 3}], "pair": [4, 5], "free": [{"x": [6]}]}"#;
        assert_eq!(read(text).unwrap(), serde_json::from_str(text).unwrap());
    }

    #[test]
    fn a_float_without_a_fraction_is_a_whole_number() {
        let read = |number: &str| read(&format!(r#"{{"list": [{{"a": {number}}}], "pair": [1.0, 2], "free": 1.0}}"#));
        let value = read("3.0").unwrap();
        assert_eq!((value.list[0].a, value.pair, value.free), (3, (1, 2), serde_json::json!(1.0)));
        for wrong in ["3.5", "-1.0", "256.0", "1e300"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_list_is_no_object_however_deep() {
        for text in [
            r#"[null, [], [1, 2], 3]"#,
            r#"{"inner": [1], "list": [], "pair": [1, 2], "free": 1}"#,
            r#"{"list": [[1]], "pair": [1, 2], "free": 1}"#,
            r#"{"inner": {"a": 1, "b": {"with": [2]}}, "list": [], "pair": [1, 2], "free": 1}"#,
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("expected an object with named fields"), "{text}: {error}");
        }
    }
}
