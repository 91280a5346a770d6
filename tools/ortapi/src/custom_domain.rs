//! Domains of custom operators.

use std::sync::{Arc, Mutex, PoisonError};

use onnxc::{CustomOperator, Error};
use ort_sys::{OrtCustomOp, OrtCustomOpDomain, OrtErrorCode};

use crate::custom_operator::Operator;
use crate::env::Logging;
use crate::options::SessionOptions;
use crate::raw::{Out, Released, Text};
use crate::status::{Result, Status};

/// A domain of custom operators. Clones share the operators.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    name: String,
    operators: Arc<Mutex<Vec<Operator>>>,
}

handles! { Domain => OrtCustomOpDomain }

/// Operators of one name and one first version, which differ in the types that they accept.
#[derive(Debug)]
struct Overloads {
    name: String,
    since: i64,
    operators: Vec<Operator>,
}

impl Domain {
    fn add(&self, operator: Operator) {
        self.operators.lock().unwrap_or_else(PoisonError::into_inner).push(operator);
    }

    /// The operators as the compiler calls them. Their kernels have a logger.
    pub(crate) fn operators(&self, logging: &Arc<Logging>) -> Result<Vec<CustomOperator>> {
        let operators = self.operators.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut overloads: Vec<Overloads> = Vec::new();
        for operator in operators {
            let (name, since) = (operator.name()?, operator.versions().0);
            match overloads.iter_mut().find(|known| known.name == name && known.since == since) {
                Some(known) => known.operators.push(operator),
                None => overloads.push(Overloads { name, since, operators: vec![operator] }),
            }
        }
        Ok(overloads.into_iter().map(|overloads| self.operator(overloads, logging.clone())).collect())
    }

    /// An operator whose kernels are those of the first overload that accepts a node.
    fn operator(&self, overloads: Overloads, logging: Arc<Logging>) -> CustomOperator {
        let Overloads { name, since, operators } = overloads;
        let (domain, called) = (self.name.clone(), name.clone());
        CustomOperator::per_node(self.name.clone(), name, since, move |node| {
            let mut refusals = Vec::new();
            for operator in &operators {
                match operator.check(node) {
                    Ok(()) => return operator.kernel(node, [&domain, &called], &logging).map_err(Status::into_error),
                    Err(refusal) => refusals.push(format!("{domain}.{called} {refusal}")),
                }
            }
            Err(Error::custom(Status::new(OrtErrorCode::ORT_INVALID_GRAPH, refusals.join("; "))))
        })
    }
}

entries! {
    /// Creates a domain.
    fn CreateCustomOpDomain(domain: Text<'_>, out: Out<*mut OrtCustomOpDomain>) {
        out.give(Domain { name: domain.to_string(), operators: Arc::default() })
    }

    /// Adds an operator to a domain. It must stay valid as long as sessions that call it.
    fn CustomOpDomain_Add(custom_op_domain: &mut Domain, op: *const OrtCustomOp) {
        custom_op_domain.add(Operator::of(op)?);
        Ok(())
    }

    /// Adds a domain to session options. Operators that are added to the domain later are registered as well.
    fn AddCustomOpDomain(options: &mut SessionOptions, custom_op_domain: &mut Domain) {
        options.domains.push(custom_op_domain.clone());
        Ok(())
    }

    /// Releases a domain. Sessions and session options may still use its operators.
    fn ReleaseCustomOpDomain(_input: Released<Domain>) -> () {} else {}
}
