use std::sync::Arc;

use super::DimExpr;

fn dim(text: &str) -> DimExpr {
    DimExpr::parse(text).unwrap_or_else(|| panic!("malformed: {text}"))
}

#[test]
fn equal_polynomials_are_equal() {
    for (a, b) in [
        ("N+1", "1+N"),
        ("N*K", "K*N"),
        ("(N+1)*(N-1)", "N*N-1"),
        ("N+N", "2*N"),
        ("N-N", "0"),
        ("4*N/4", "N"),
        ("N*K/N", "K"),
        ("(N*K+N)/(K+1)", "N"),
        ("(4*N+7)/4", "N+1"),
        ("(2*N+4)/4", "(N+2)/2"),
        ("N/2/3", "N/6"),
        ("ceildiv(N, 2)", "(N+1)/2"),
        ("(4*N+3)%4", "3"),
        ("max(N, N+3)", "N+3"),
        ("min(N, N+3, 7, 9)", "min(7, N)"),
        ("max(0, N)", "N"),
        ("broadcast(1, N)", "N"),
        ("broadcast(N, N)", "N"),
        ("broadcast(8, N)", "8"),
        ("broadcast(N, broadcast(M, N))", "broadcast(M, N)"),
    ] {
        assert_eq!(dim(a), dim(b), "{a} and {b}");
    }
}

#[test]
fn text_round_trips() {
    for text in ["N*4+1", "K*N*2-3", "floordiv(N+1, 2)", "max(M, N)", "\"a b\"+1", "mod(N, 3)", "ceildiv(N, M)", "-5"] {
        assert_eq!(dim(text).to_string(), text);
    }
    assert_eq!(dim(&dim("M-N*2").to_string()), dim("M-N*2"));
    assert_eq!(DimExpr::parse("N+"), None);
    assert_eq!(DimExpr::parse("unk(3)"), None);
}

#[test]
fn symbols_are_found_everywhere() {
    for text in
        ["N+M", "N*M", "max(N, M)", "floordiv(N+1, M)", "ceildiv(M, N)", "mod(N, M)", "min(N, M, 4)", "broadcast(M, N)"]
    {
        let mut found: Vec<Arc<str>> = vec![];
        assert!(dim(text).all_symbols(&mut |name| {
            found.push(name.clone());
            true
        }));
        found.sort();
        assert_eq!(found, [Arc::from("M"), Arc::from("N")], "{text}");
        assert!(!dim(text).all_symbols(&mut |name| &**name == "M"), "{text}");
    }
    assert!(DimExpr::ONE.all_symbols(&mut |_| false));
}

#[test]
fn quotients_with_a_rest_have_signs() {
    let n = DimExpr::symbol("N");
    let half = |dim: &DimExpr| dim.sub(&DimExpr::ONE).floor_div(&DimExpr::Constant(2));
    let places = half(&n).add(&DimExpr::ONE);
    assert!(places.is_nonnegative());
    assert!(half(&places).add(&DimExpr::ONE).is_nonnegative());
    assert!(!half(&n).is_nonnegative());
    assert!(!half(&n.sub(&DimExpr::Constant(3))).add(&DimExpr::ONE).is_nonnegative());
}
