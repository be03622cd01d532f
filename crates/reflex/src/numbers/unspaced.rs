//! Number words of languages that write them without spaces.

use super::tables::NumberTable;

/// Chinese, in simplified and traditional characters.
pub(super) const ZH: NumberTable = NumberTable {
    language: "zh",
    small: "零/〇,一/壹,二/两/兩,三,四,五,六,七,八,九,十/一十,十一,十二,十三,十四,十五,十六,十七,十八,十九",
    tens: "二十/廿,三十/卅,四十,五十,六十,七十,八十,九十",
    pair: "TU",
    one_before: "",
    odd: &[],
    hundreds: "一百/百,二百/两百/兩百,三百,四百,五百,六百,七百,八百,九百",
    thousands: "一千/千,二千/两千/兩千,三千,四千,五千,六千,七千,八千,九千,一万/一萬",
    rest: "",
    gap: "零/〇",
    is_spaced: false,
    hundred: "",
    point: "点/點",
    half: "",
    minus: "零下/负/負",
};

/// Thai.
pub(super) const TH: NumberTable = NumberTable {
    language: "th",
    small: "ศูนย์,หนึ่ง,สอง,สาม,สี่,ห้า,หก,เจ็ด,แปด,เก้า,สิบ,สิบเอ็ด,สิบสอง,สิบสาม,สิบสี่,สิบห้า,สิบหก,สิบเจ็ด,สิบแปด,สิบเก้า",
    tens: "ยี่สิบ,สามสิบ,สี่สิบ,ห้าสิบ,หกสิบ,เจ็ดสิบ,แปดสิบ,เก้าสิบ",
    pair: "TU",
    one_before: "เอ็ด",
    odd: &[],
    hundreds: "หนึ่งร้อย/ร้อย,สองร้อย,สามร้อย,สี่ร้อย,ห้าร้อย,หกร้อย,เจ็ดร้อย,แปดร้อย,เก้าร้อย",
    thousands: "หนึ่งพัน/พัน,สองพัน,สามพัน,สี่พัน,ห้าพัน,หกพัน,เจ็ดพัน,แปดพัน,เก้าพัน,หนึ่งหมื่น/หมื่น",
    rest: "",
    gap: "",
    is_spaced: false,
    hundred: "",
    point: "จุด",
    half: "ครึ่ง",
    minus: "ลบ/ติดลบ",
};
