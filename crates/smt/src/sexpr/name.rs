//! Our names as symbols of a solver's language, and back.
//!
//! Rules. A name gets the prefix `$`, which no word of the two solvers has. (Bars alone would not do:
//! `|pto|` and `pto` are the same symbol.) Everything but letters, digits and a few signs is written
//! as `%` and two hexadecimal digits for each byte, so the symbol never needs bars and scripts stay
//! ASCII. Both directions are total on names, and [`decode`] accepts exactly what [`encode`] writes:
//! different names are different symbols.

/// The symbol that stands for one of our names.
pub fn encode(name: &str) -> String {
    let mut symbol = String::with_capacity(name.len() + 1);
    symbol.push('$');
    for byte in name.bytes() {
        if is_plain(byte) {
            symbol.push(char::from(byte));
        } else {
            symbol.push_str(&format!("%{byte:02X}"));
        }
    }
    symbol
}

/// The name that a symbol stands for; none if it is not one that [`encode`] writes.
pub fn decode(symbol: &str) -> Option<String> {
    // A solver may put bars around a symbol that does not need them.
    let bare = symbol
        .strip_prefix('|')
        .and_then(|rest| rest.strip_suffix('|'))
        .unwrap_or(symbol);
    let mut bytes = bare.strip_prefix('$')?.bytes();
    let mut name = Vec::new();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => name.push(escaped(bytes.next()?, bytes.next()?)?),
            _ if is_plain(byte) => name.push(byte),
            _ => return None,
        }
    }
    String::from_utf8(name).ok()
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-+!?@<>=*/".contains(&byte)
}

fn escaped(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    };
    let byte = digit(high)? * 16 + digit(low)?;
    (!is_plain(byte)).then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in [
            "",
            "x",
            "pto",
            "two words",
            "a|b\\c",
            "50%",
            "%41",
            "ß→x",
            "db[3].vote",
            "$",
            "x'",
        ] {
            let symbol = encode(name);
            assert!(symbol.is_ascii() && symbol.starts_with('$'), "{symbol}");
            assert!(
                !symbol.contains(['|', ' ', '\'', '#', '[', '"', ';', '(']),
                "{symbol}"
            );
            assert_eq!(decode(&symbol).as_deref(), Some(name), "{symbol}");
            assert_eq!(decode(&format!("|{symbol}|")).as_deref(), Some(name));
        }
    }

    #[test]
    fn only_our_symbols_are_names() {
        for symbol in [
            "and", "x", "$%41", "$%4", "$%", "$a b", "$%FF", "|x|", "$%ff",
        ] {
            assert_eq!(decode(symbol), None, "{symbol}");
        }
    }
}
