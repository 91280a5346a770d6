use std::sync::Arc;

use crate::IndexMap;

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
fn evaluates() {
    let bindings: IndexMap<Arc<str>, i64> = [("N".into(), 7), ("Z".into(), 0)].into_iter().collect();
    assert_eq!(dim("(N+2)/2*3").evaluate(&bindings), Some(12));
    assert_eq!(dim("(0-N)/2").evaluate(&bindings), Some(-4));
    assert_eq!(dim("N+M").evaluate(&bindings), None);
    assert_eq!(dim("N/Z").evaluate(&bindings), None);
    assert_eq!(dim("N+M").substitute(&bindings), dim("M+7"));
    assert_eq!(dim("N+M").symbols().len(), 2);
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
