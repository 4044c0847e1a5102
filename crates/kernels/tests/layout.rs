//! Numbers and uniform blocks that shaders and Rust each write down for themselves.

use std::collections::BTreeMap;
use std::mem::offset_of;

use couplet_kernels::*;
use couplet_speculation::rules::wrong::IMPROBABLE;
use naga::{Expression, Literal, Module, TypeInner};

/// A kernel that imports all that is compared here.
fn museum() -> Module {
    naga::front::wgsl::parse_str(Kernel::Museum.sources()[0]).expect("checked when it was built")
}

/// Constants of a shader by name.
fn constants(module: &Module) -> BTreeMap<String, Literal> {
    let literal = |value| match module.global_expressions[value] {
        Expression::Literal(literal) => Some(literal),
        _ => None,
    };
    let constants = module.constants.iter();
    constants
        .filter_map(|(_, constant)| Some((constant.name.clone()?, literal(constant.init)?)))
        .collect()
}

/// Names and byte offsets of a block's fields, and how many bytes it has.
fn block(module: &Module, name: &str) -> (Vec<(String, usize)>, usize) {
    let mut types = module.types.iter().map(|(_, found)| found);
    let found = types.find(|found| found.name.as_deref() == Some(name));
    let TypeInner::Struct { members, span } = &found.expect("a block of that name").inner else {
        panic!("{name} is no block");
    };
    let fields = members.iter().map(|member| {
        (
            member.name.clone().unwrap_or_default(),
            member.offset as usize,
        )
    });
    (fields.collect(), *span as usize)
}

/// The same of a struct in Rust, all of whose fields have to be named: those of the shader, and
/// behind them those that only fill it up.
macro_rules! fields {
    ($block:ident { $($field:ident),+ } $($filling:ident)*) => {{
        let $block { $($field: _,)+ $($filling: _),* } = $block::default();
        let fields = [$((stringify!($field).to_owned(), offset_of!($block, $field))),+];
        (fields.to_vec(), size_of::<$block>())
    }};
}

#[test]
fn uniform_blocks_are_laid_out_as_in_the_shaders() {
    let module = museum();
    let settings = fields!(RunSettings {
        seed, rule, top_k, temperature, top_p, lenience, epsilon, delta
    } padding);
    assert_eq!(block(&module, "RunSettings"), settings);
    let pass = fields!(Pass {
        rows,
        offset,
        input_size,
        output_size,
        heads,
        kv_heads,
        head_dim,
        source_row,
        destination_row,
        vocab,
        capacity,
        epsilon,
        purpose
    });
    assert_eq!(block(&module, "Pass"), pass);
}

#[test]
fn rules_and_mistakes_have_the_numbers_of_the_shaders() {
    let written: BTreeMap<String, Literal> = constants(&museum())
        .into_iter()
        .filter_map(|(name, number)| {
            let rule = name
                .strip_prefix("RULE_")
                .or(name.strip_prefix("MISTAKE_"))?;
            Some((rule.replace('_', ""), number))
        })
        .collect();
    let known = KernelRule::ALL.map(|rule| {
        let name = format!("{rule:?}").to_uppercase();
        (name, Literal::U32(rule as u32))
    });
    assert_eq!(written, BTreeMap::from(known));
}

#[test]
fn other_numbers_are_those_of_the_shaders() {
    let constants = constants(&museum());
    for (name, number) in [
        ("RECORD_HEAD", record::HEAD as u32),
        ("RECORD_ENTRY", record::ENTRY as u32),
        ("NO_TOKEN", record::NO_TOKEN),
    ] {
        assert_eq!(constants[name], Literal::U32(number), "{name}");
    }
    assert_eq!(constants["IMPROBABLE"], Literal::F32(IMPROBABLE as f32));
}
