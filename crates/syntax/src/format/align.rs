//! Comments at the ends of consecutive lines begin in the same column.

/// A comment that ends a line of code.
#[derive(Clone, Copy, Debug)]
struct EndComment {
    line: usize,
    /// Where it begins, in bytes from the beginning of the text.
    start: usize,
    /// How far the line is indented.
    indent: usize,
    /// The width of the code before it, in characters.
    width: usize,
}

/// Aligns the comments that begin at `starts` (ascending) and end their lines.
pub(super) fn align(text: &str, starts: &[usize]) -> String {
    let comments = locate(text, starts);
    let mut out = String::with_capacity(text.len() + 16 * comments.len());
    let mut copied = 0;
    for run in comments.chunk_by(|a, b| a.line + 1 == b.line && a.indent == b.indent) {
        let column = run.iter().map(|comment| comment.width).max().unwrap_or(0);
        for comment in run {
            out.push_str(text[copied..comment.start].trim_end_matches(' '));
            out.extend(std::iter::repeat_n(' ', column - comment.width + 1));
            copied = comment.start;
        }
    }
    out.push_str(&text[copied..]);
    out
}

fn locate(text: &str, starts: &[usize]) -> Vec<EndComment> {
    let mut line = 0;
    let mut line_start = 0;
    let mut seen = 0;
    starts
        .iter()
        .map(|&start| {
            for (offset, _) in text[seen..start].match_indices('\n') {
                line += 1;
                line_start = seen + offset + 1;
            }
            seen = start;
            let code = text[line_start..start].trim_end_matches(' ');
            let width = code.chars().count();
            let indent = width - code.trim_start_matches(' ').chars().count();
            EndComment {
                line,
                start,
                indent,
                width,
            }
        })
        .collect()
}
