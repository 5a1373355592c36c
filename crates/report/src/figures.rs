//! Numbers as people read them.

/// `12480` as `12,480`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 message`, `2 messages`, `12,480 states`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// A number that is known as a power of ten, without pretending to know it better: `10^7`.
pub fn power_of_ten(power: f64) -> String {
    format!("10^{}", power.round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_and_one_is_singular() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(count(1, "message"), "1 message");
        assert_eq!(count(1000, "state"), "1,000 states");
    }
}
