//! HTML pages.

/// A page with a title.
pub(crate) fn page(title: &str, body: &str) -> String {
    include_str!("page.html").replace("@TITLE@", &escaped(title)).replace("@BODY@", body)
}

/// A table; rows are from [`row`].
pub(crate) fn table(heads: &[&str], rows: &[String]) -> String {
    let heads: Vec<String> = heads.iter().map(|head| format!("<th>{}", escaped(head))).collect();
    format!("<table>\n<tr>{}\n{}</table>\n", heads.concat(), rows.concat())
}

/// A row of texts.
pub(crate) fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!("<td>{}", escaped(cell))).collect();
    format!("<tr>{}\n", cells.concat())
}

/// A text, escaped for HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
