//! Combinations of values: all of them, or some that are spread out.

use plainsong_semantics::value::Value;

/// At most `most` combinations of one value from each domain; all of them if that is enough.
pub(super) fn combinations(domains: &[Vec<Value>], most: usize) -> Vec<Vec<Value>> {
    let count = domains.iter().try_fold(1usize, |count, domain| {
        count
            .checked_mul(domain.len())
            .filter(|count| *count <= most)
    });
    match count {
        Some(count) => (0..count).map(|number| numbered(domains, number)).collect(),
        None => spread(domains, most),
    }
}

/// The combination with this number; the last domain turns fastest.
fn numbered(domains: &[Vec<Value>], mut number: usize) -> Vec<Value> {
    let mut values: Vec<Value> = domains
        .iter()
        .rev()
        .map(|domain| {
            let value = domain[number % domain.len()].clone();
            number /= domain.len();
            value
        })
        .collect();
    values.reverse();
    values
}

/// Always the same ones, by a simple generator.
fn spread(domains: &[Vec<Value>], most: usize) -> Vec<Vec<Value>> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    if domains.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for _ in 0..most {
        let values = domains
            .iter()
            .map(|domain| domain[next(domain.len())].clone());
        all.push(values.collect());
    }
    all
}
