//! Number words, with a table for each language.
//!
//! Commas separate the numbers of a row, slashes separate synonyms. Numbers up to 99 are irregular
//! (`odd`), from the row `small`, or tens and units combined by `pair`, where `T` is the ten and
//! `U` the unit.

#[derive(Debug)]
pub(super) struct NumberTable {
    pub language: &'static str,
    /// From zero on.
    pub small: &'static str,
    /// From twenty on.
    pub tens: &'static str,
    pub pair: &'static str,
    /// The one in twenty-one, if it is another word.
    pub one_before: &'static str,
    pub odd: &'static [(u32, &'static str)],
    /// From one hundred to nine hundred.
    pub hundreds: &'static str,
    /// From one thousand to ten thousand.
    pub thousands: &'static str,
    /// The joint between hundreds or thousands and the rest.
    pub rest: &'static str,
    /// The joint if places between are empty, as in "one hundred zero five"; empty if it is the
    /// same.
    pub gap: &'static str,
    /// Whether the words of a number are separated by spaces at all.
    pub is_spaced: bool,
    /// The word that makes "twenty-seven" 2,700; empty if that is not used.
    pub hundred: &'static str,
    pub point: &'static str,
    /// The words that make "twenty" twenty and a half.
    pub half: &'static str,
    pub minus: &'static str,
}

impl NumberTable {
    /// The table of a language code, with or without a region.
    pub(super) fn of(language: &str) -> Option<&'static Self> {
        let family = language.split(['-', '_']).next()?;
        ALL.iter().find(|table| table.language == family)
    }
}

pub(super) const ALL: &[NumberTable] =
    &[EN, DE, FR, ES, IT, NL, PT, SV, DA, NB, PL, CS, super::unspaced::ZH, super::unspaced::TH];

const EN: NumberTable = NumberTable {
    language: "en",
    small: "zero,one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,sixteen,seventeen,\
            eighteen,nineteen",
    tens: "twenty,thirty,forty,fifty,sixty,seventy,eighty,ninety",
    pair: "T-U",
    one_before: "",
    odd: &[],
    hundreds: "one hundred/a hundred/hundred,two hundred,three hundred,four hundred,five hundred,six hundred,seven hundred,\
               eight hundred,nine hundred",
    thousands: "one thousand/a thousand/thousand,two thousand,three thousand,four thousand,five thousand,six thousand,\
                seven thousand,eight thousand,nine thousand,ten thousand",
    rest: " / and ",
    gap: "",
    is_spaced: true,
    hundred: " hundred",
    point: "point",
    half: " and a half",
    minus: "minus",
};

const DE: NumberTable = NumberTable {
    language: "de",
    small: "null,eins/ein/eine/einen/einer/einem/eines,zwei/zwo,drei,vier,fünf,sechs,sieben,acht,neun,zehn,elf,zwölf,dreizehn,vierzehn,\
            fünfzehn,sechzehn,siebzehn,achtzehn,neunzehn",
    tens: "zwanzig,dreißig/dreissig,vierzig,fünfzig,sechzig,siebzig,achtzig,neunzig",
    pair: "UundT/U und T",
    one_before: "ein",
    odd: &[],
    hundreds: "hundert/einhundert,zweihundert,dreihundert,vierhundert,fünfhundert,sechshundert,siebenhundert,achthundert,\
               neunhundert",
    thousands: "tausend/eintausend,zweitausend,dreitausend,viertausend,fünftausend,sechstausend,siebentausend,achttausend,\
                neuntausend,zehntausend",
    rest: "/ /und",
    gap: "",
    is_spaced: true,
    hundred: "hundert",
    point: "komma",
    half: "einhalb",
    minus: "minus",
};

const FR: NumberTable = NumberTable {
    language: "fr",
    small: "zéro,un/une,deux,trois,quatre,cinq,six,sept,huit,neuf,dix,onze,douze,treize,quatorze,quinze,seize,dix-sept,dix-huit,\
            dix-neuf",
    tens: "vingt,trente,quarante,cinquante,soixante,soixante-dix/septante,quatre-vingts/quatre-vingt/huitante/octante,\
           quatre-vingt-dix/nonante",
    pair: "T-U",
    one_before: "",
    odd: &[
        (21, "vingt et un/vingt et une"),
        (31, "trente et un/trente et une"),
        (41, "quarante et un/quarante et une"),
        (51, "cinquante et un/cinquante et une"),
        (61, "soixante et un/soixante et une"),
        (71, "soixante et onze/septante et un"),
        (72, "soixante-douze/septante-deux"),
        (73, "soixante-treize/septante-trois"),
        (74, "soixante-quatorze/septante-quatre"),
        (75, "soixante-quinze/septante-cinq"),
        (76, "soixante-seize/septante-six"),
        (77, "soixante-dix-sept/septante-sept"),
        (78, "soixante-dix-huit/septante-huit"),
        (79, "soixante-dix-neuf/septante-neuf"),
        (91, "quatre-vingt-onze/nonante et un"),
        (92, "quatre-vingt-douze/nonante-deux"),
        (93, "quatre-vingt-treize/nonante-trois"),
        (94, "quatre-vingt-quatorze/nonante-quatre"),
        (95, "quatre-vingt-quinze/nonante-cinq"),
        (96, "quatre-vingt-seize/nonante-six"),
        (97, "quatre-vingt-dix-sept/nonante-sept"),
        (98, "quatre-vingt-dix-huit/nonante-huit"),
        (99, "quatre-vingt-dix-neuf/nonante-neuf"),
    ],
    hundreds: "cent,deux cents/deux cent,trois cents/trois cent,quatre cents/quatre cent,cinq cents/cinq cent,\
               six cents/six cent,sept cents/sept cent,huit cents/huit cent,neuf cents/neuf cent",
    thousands: "mille,deux mille,trois mille,quatre mille,cinq mille,six mille,sept mille,huit mille,neuf mille,dix mille",
    rest: " ",
    gap: "",
    is_spaced: true,
    hundred: "",
    point: "virgule",
    half: " et demi/ et demie",
    minus: "moins",
};

const ES: NumberTable = NumberTable {
    language: "es",
    small: "cero,uno/un/una,dos,tres,cuatro,cinco,seis,siete,ocho,nueve,diez,once,doce,trece,catorce,quince,dieciséis,diecisiete,\
            dieciocho,diecinueve,veinte,veintiuno/veintiún/veintiuna,veintidós,veintitrés,veinticuatro,veinticinco,veintiséis,\
            veintisiete,veintiocho,veintinueve",
    tens: "veinte,treinta,cuarenta,cincuenta,sesenta,setenta,ochenta,noventa",
    pair: "T y U",
    one_before: "",
    odd: &[],
    hundreds: "cien/ciento,doscientos,trescientos,cuatrocientos,quinientos,seiscientos,setecientos,ochocientos,novecientos",
    thousands: "mil,dos mil,tres mil,cuatro mil,cinco mil,seis mil,siete mil,ocho mil,nueve mil,diez mil",
    rest: " ",
    gap: "",
    is_spaced: true,
    hundred: "",
    point: "coma/punto",
    half: " y medio/ y media",
    minus: "menos",
};

const IT: NumberTable = NumberTable {
    language: "it",
    small: "zero,uno/un/una,due,tre,quattro,cinque,sei,sette,otto,nove,dieci,undici,dodici,tredici,quattordici,quindici,sedici,\
            diciassette,diciotto,diciannove",
    tens: "venti,trenta,quaranta,cinquanta,sessanta,settanta,ottanta,novanta",
    pair: "TU",
    one_before: "",
    odd: &[
        (21, "ventuno/ventun/ventuna"),
        (23, "ventitré/ventitre"),
        (28, "ventotto"),
        (31, "trentuno/trentun/trentuna"),
        (33, "trentatré/trentatre"),
        (38, "trentotto"),
        (41, "quarantuno/quarantun/quarantuna"),
        (43, "quarantatré/quarantatre"),
        (48, "quarantotto"),
        (51, "cinquantuno/cinquantun/cinquantuna"),
        (53, "cinquantatré/cinquantatre"),
        (58, "cinquantotto"),
        (61, "sessantuno/sessantun/sessantuna"),
        (63, "sessantatré/sessantatre"),
        (68, "sessantotto"),
        (71, "settantuno/settantun/settantuna"),
        (73, "settantatré/settantatre"),
        (78, "settantotto"),
        (81, "ottantuno/ottantun/ottantuna"),
        (83, "ottantatré/ottantatre"),
        (88, "ottantotto"),
        (91, "novantuno/novantun/novantuna"),
        (93, "novantatré/novantatre"),
        (98, "novantotto"),
    ],
    hundreds: "cento,duecento,trecento,quattrocento,cinquecento,seicento,settecento,ottocento,novecento",
    thousands: "mille,duemila,tremila,quattromila,cinquemila,seimila,settemila,ottomila,novemila,diecimila",
    rest: "/ ",
    gap: "",
    is_spaced: true,
    hundred: "",
    point: "virgola",
    half: " e mezzo/ e mezza",
    minus: "meno",
};

const NL: NumberTable = NumberTable {
    language: "nl",
    small: "nul,een/één,twee,drie,vier,vijf,zes,zeven,acht,negen,tien,elf,twaalf,dertien,veertien,vijftien,zestien,zeventien,\
            achttien,negentien",
    tens: "twintig,dertig,veertig,vijftig,zestig,zeventig,tachtig,negentig",
    pair: "UenT/UënT",
    one_before: "een",
    odd: &[],
    hundreds: "honderd,tweehonderd,driehonderd,vierhonderd,vijfhonderd,zeshonderd,zevenhonderd,achthonderd,negenhonderd",
    thousands: "duizend,tweeduizend,drieduizend,vierduizend,vijfduizend,zesduizend,zevenduizend,achtduizend,negenduizend,\
                tienduizend",
    rest: "/ / en /en",
    gap: "",
    is_spaced: true,
    hundred: "honderd",
    point: "komma",
    half: " en een half/ en een halve/eneenhalf/eneenhalve",
    minus: "min",
};

const PT: NumberTable = NumberTable {
    language: "pt",
    small: "zero,um/uma,dois/duas,três,quatro,cinco,seis,sete,oito,nove,dez,onze,doze,treze,catorze/quatorze,quinze,\
            dezesseis/dezasseis,dezessete/dezassete,dezoito,dezenove/dezanove",
    tens: "vinte,trinta,quarenta,cinquenta,sessenta,setenta,oitenta,noventa",
    pair: "T e U",
    one_before: "",
    odd: &[],
    hundreds: "cem/cento,duzentos,trezentos,quatrocentos,quinhentos,seiscentos,setecentos,oitocentos,novecentos",
    thousands: "mil,dois mil,três mil,quatro mil,cinco mil,seis mil,sete mil,oito mil,nove mil,dez mil",
    rest: " e / ",
    gap: "",
    is_spaced: true,
    hundred: "",
    point: "vírgula",
    half: " e meio/ e meia",
    minus: "menos",
};

const SV: NumberTable = NumberTable {
    language: "sv",
    small: "noll,ett/en,två,tre,fyra,fem,sex,sju,åtta,nio,tio,elva,tolv,tretton,fjorton,femton,sexton,sjutton,arton,nitton",
    tens: "tjugo,trettio,fyrtio,femtio,sextio,sjuttio,åttio,nittio",
    pair: "TU/T U",
    one_before: "",
    odd: &[],
    hundreds: "hundra/etthundra/ett hundra,tvåhundra,trehundra,fyrahundra,femhundra,sexhundra,sjuhundra,åttahundra,niohundra",
    thousands: "tusen/ettusen/ett tusen,tvåtusen,tretusen,fyratusen,femtusen,sextusen,sjutusen,åttatusen,niotusen,tiotusen",
    rest: "/ ",
    gap: "",
    is_spaced: true,
    hundred: "hundra",
    point: "komma",
    half: " och en halv/ och ett halvt/ och en halv",
    minus: "minus",
};

const DA: NumberTable = NumberTable {
    language: "da",
    small: "nul,en/et,to,tre,fire,fem,seks,syv,otte,ni,ti,elleve,tolv,tretten,fjorten,femten,seksten,sytten,atten,nitten",
    tens: "tyve,tredive,fyrre,halvtreds,tres,halvfjerds,firs,halvfems",
    pair: "UogT/U og T",
    one_before: "en",
    odd: &[],
    hundreds: "hundrede/et hundrede/ethundrede,to hundrede/tohundrede,tre hundrede/trehundrede,fire hundrede/firehundrede,\
               fem hundrede/femhundrede,seks hundrede/sekshundrede,syv hundrede/syvhundrede,otte hundrede/ottehundrede,\
               ni hundrede/nihundrede",
    thousands: "tusind/tusinde/et tusind/et tusinde/ettusind/ettusinde,to tusind/to tusinde/totusind/totusinde,\
                tre tusind/tre tusinde/tretusind/tretusinde,fire tusind/fire tusinde/firetusind/firetusinde,\
                fem tusind/fem tusinde/femtusind/femtusinde,seks tusind/seks tusinde/sekstusind/sekstusinde,\
                syv tusind/syv tusinde/syvtusind/syvtusinde,otte tusind/otte tusinde/ottetusind/ottetusinde,\
                ni tusind/ni tusinde/nitusind/nitusinde,ti tusind/ti tusinde/titusind/titusinde",
    rest: " / og ",
    gap: "",
    is_spaced: true,
    hundred: " hundrede",
    point: "komma",
    half: " og en halv/ og et halvt",
    minus: "minus",
};

const NB: NumberTable = NumberTable {
    language: "nb",
    small: "null,en/ett/én/ei,to,tre,fire,fem,seks,sju/syv,åtte,ni,ti,elleve,tolv,tretten,fjorten,femten,seksten,sytten,atten,\
            nitten",
    tens: "tjue/tyve,tretti/tredve,førti,femti,seksti,sytti,åtti,nitti",
    pair: "TU/T U",
    one_before: "",
    odd: &[],
    hundreds: "hundre/ett hundre/etthundre,to hundre/tohundre,tre hundre/trehundre,fire hundre/firehundre,fem hundre/femhundre,\
               seks hundre/sekshundre,sju hundre/sjuhundre/syv hundre,åtte hundre/åttehundre,ni hundre/nihundre",
    thousands: "tusen/ett tusen/ettusen,to tusen/totusen,tre tusen/tretusen,fire tusen/firetusen,fem tusen/femtusen,\
                seks tusen/sekstusen,sju tusen/sjutusen/syv tusen,åtte tusen/åttetusen,ni tusen/nitusen,ti tusen/titusen",
    rest: " og / ",
    gap: "",
    is_spaced: true,
    hundred: " hundre",
    point: "komma",
    half: " og en halv/ og et halvt",
    minus: "minus",
};

// With the genitive, which follows "do": "do pięćdziesięciu procent".
const PL: NumberTable = NumberTable {
    language: "pl",
    small: "zero/zera,jeden/jedna/jedno/jedną/jednego/jednej,dwa/dwie/dwóch/dwu,trzy/trzech,cztery/czterech,pięć/pięciu,\
            sześć/sześciu,siedem/siedmiu,osiem/ośmiu,dziewięć/dziewięciu,dziesięć/dziesięciu,jedenaście/jedenastu,\
            dwanaście/dwunastu,trzynaście/trzynastu,czternaście/czternastu,piętnaście/piętnastu,szesnaście/szesnastu,\
            siedemnaście/siedemnastu,osiemnaście/osiemnastu,dziewiętnaście/dziewiętnastu",
    tens: "dwadzieścia/dwudziestu,trzydzieści/trzydziestu,czterdzieści/czterdziestu,pięćdziesiąt/pięćdziesięciu,\
           sześćdziesiąt/sześćdziesięciu,siedemdziesiąt/siedemdziesięciu,osiemdziesiąt/osiemdziesięciu,\
           dziewięćdziesiąt/dziewięćdziesięciu",
    pair: "T U",
    one_before: "jeden/jedna/jedno/jedną",
    odd: &[],
    hundreds: "sto/stu,dwieście/dwustu,trzysta/trzystu,czterysta/czterystu,pięćset/pięciuset,sześćset/sześciuset,\
               siedemset/siedmiuset,osiemset/ośmiuset,dziewięćset/dziewięciuset",
    thousands: "tysiąc/jeden tysiąc/tysiąca,dwa tysiące/dwóch tysięcy,trzy tysiące/trzech tysięcy,\
                cztery tysiące/czterech tysięcy,pięć tysięcy/pięciu tysięcy,sześć tysięcy/sześciu tysięcy,\
                siedem tysięcy/siedmiu tysięcy,osiem tysięcy/ośmiu tysięcy,dziewięć tysięcy/dziewięciu tysięcy,\
                dziesięć tysięcy/dziesięciu tysięcy",
    rest: " ",
    gap: "",
    is_spaced: true,
    hundred: "",
    point: "przecinek",
    half: " i pół",
    minus: "minus",
};

const CS: NumberTable = NumberTable {
    language: "cs",
    small: "nula,jeden/jedna/jedno/jednu,dva/dvě,tři,čtyři,pět,šest,sedm,osm,devět,deset,jedenáct,dvanáct,třináct,čtrnáct,\
            patnáct,šestnáct,sedmnáct,osmnáct,devatenáct",
    tens: "dvacet,třicet,čtyřicet,padesát,šedesát,sedmdesát,osmdesát,devadesát",
    pair: "T U/UaT",
    one_before: "jedna/jeden/jedno",
    odd: &[],
    hundreds: "sto,dvě stě,tři sta,čtyři sta,pět set,šest set,sedm set,osm set,devět set",
    thousands: "tisíc/jeden tisíc,dva tisíce,tři tisíce,čtyři tisíce,pět tisíc,šest tisíc,sedm tisíc,osm tisíc,devět tisíc,\
                deset tisíc",
    rest: " ",
    gap: "",
    is_spaced: true,
    hundred: "",
    point: "celá",
    half: " a půl",
    minus: "minus",
};
