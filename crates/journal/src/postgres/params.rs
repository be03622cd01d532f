//! Parameters of statements, each with its type.
//!
//! Types are sent with the statement, so that it needs no preparation: a prepared statement is
//! state of a connection, which a pooler between here and the database may exchange after each
//! transaction.

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// A parameter.
#[derive(Debug)]
pub(super) enum Param<'a> {
    Int(Option<i64>),
    Bool(bool),
    Text(Option<&'a str>),
    Bytes(Option<&'a [u8]>),
    Id(Option<[u8; 16]>),
    Ints(Vec<Option<i64>>),
    Bools(Vec<bool>),
    Texts(Vec<Option<&'a str>>),
    Blobs(Vec<Option<Vec<u8>>>),
    Ids(Vec<[u8; 16]>),
}

impl Param<'_> {
    pub(super) const fn kind(&self) -> Type {
        match self {
            Self::Int(_) => Type::INT8,
            Self::Bool(_) => Type::BOOL,
            Self::Text(_) => Type::TEXT,
            Self::Bytes(_) | Self::Id(_) => Type::BYTEA,
            Self::Ints(_) => Type::INT8_ARRAY,
            Self::Bools(_) => Type::BOOL_ARRAY,
            Self::Texts(_) => Type::TEXT_ARRAY,
            Self::Blobs(_) | Self::Ids(_) => Type::BYTEA_ARRAY,
        }
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Int(value) => value.to_sql(kind, out),
            Self::Bool(value) => value.to_sql(kind, out),
            Self::Text(value) => value.to_sql(kind, out),
            Self::Bytes(value) => value.to_sql(kind, out),
            Self::Id(value) => value.as_ref().map(<[u8; 16]>::as_slice).to_sql(kind, out),
            Self::Ints(value) => value.to_sql(kind, out),
            Self::Bools(value) => value.to_sql(kind, out),
            Self::Texts(value) => value.to_sql(kind, out),
            Self::Blobs(value) => value.to_sql(kind, out),
            Self::Ids(value) => value.iter().map(<[u8; 16]>::as_slice).collect::<Vec<_>>().to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

macro_rules! from {
    ($($type:ty => $make:expr),+ $(,)?) => {
        $(impl<'a> From<$type> for Param<'a> {
            fn from(value: $type) -> Self {
                $make(value)
            }
        })+
    };
}

from! {
    i64 => |value| Self::Int(Some(value)),
    Option<i64> => Self::Int,
    u64 => |value| Self::Int(Some(number(value))),
    usize => |value| Self::Int(Some(i64::try_from(value).unwrap_or(i64::MAX))),
    bool => Self::Bool,
    &'a str => |value| Self::Text(Some(value)),
    &'a String => |value: &'a String| Self::Text(Some(value.as_str())),
    Option<&'a str> => Self::Text,
    &'a [u8] => |value| Self::Bytes(Some(value)),
    &'a Vec<u8> => |value: &'a Vec<u8>| Self::Bytes(Some(value.as_slice())),
    Option<&'a [u8]> => Self::Bytes,
    [u8; 16] => |value| Self::Id(Some(value)),
    Option<[u8; 16]> => Self::Id,
    Vec<i64> => |value: Vec<i64>| Self::Ints(value.into_iter().map(Some).collect()),
    Vec<Option<i64>> => Self::Ints,
    Vec<bool> => Self::Bools,
    Vec<&'a str> => |value: Vec<&'a str>| Self::Texts(value.into_iter().map(Some).collect()),
    Vec<Option<&'a str>> => Self::Texts,
    Vec<Vec<u8>> => |value: Vec<Vec<u8>>| Self::Blobs(value.into_iter().map(Some).collect()),
    Vec<Option<Vec<u8>>> => Self::Blobs,
    Vec<[u8; 16]> => Self::Ids,
}

/// The database's integers are signed; no session has that many events.
pub(super) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A list of parameters.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        [$($crate::postgres::params::Param::from($value)),*]
    };
}
pub(super) use params;
