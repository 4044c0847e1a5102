//! Numbers and uniform blocks that shaders and Rust each write down for themselves.

use std::collections::BTreeMap;
use std::mem::offset_of;

use couplet_speculation::random::exponential::SMALLEST_PROB;
use couplet_speculation::random::{MAX_DARTS, Purpose};
use couplet_speculation::rules::wrong::IMPROBABLE;
use naga::{Expression, Literal, Module, TypeInner};

use crate::cpu::inverse_cdf::CHUNKS;
use crate::params::{
    COUPLING_GUMBEL, COUPLING_INDEPENDENT, COUPLING_MINHASH, COUPLING_OPTIMAL, Throws,
};
use crate::{
    BLOCK_INTERMEDIATE, BLOCK_STREAM, COMMON_HEAD_DIM, Kernel, KernelRule, Pass, RunSettings,
    record,
};

fn module(kernel: Kernel) -> Module {
    naga::front::wgsl::parse_str(kernel.sources()[0]).expect("checked when it was built")
}

/// The kernel that judges: it imports most of what is compared here.
fn museum() -> Module {
    module(Kernel::Museum)
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
/// after them those that only fill it up.
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
    let throws = fields!(Throws {
        seed,
        coupling,
        tokens,
        first_trial,
        trials,
        invocations,
        highest
    });
    assert_eq!(block(&self::module(Kernel::Couple), "Throws"), throws);
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
        ("CHUNKS", CHUNKS as u32),
        ("PURPOSE_DRAFT", Purpose::Draft as u32),
        ("PURPOSE_ACCEPT", Purpose::Accept as u32),
        ("PURPOSE_RESIDUAL", Purpose::Residual as u32),
        ("PURPOSE_TARGET", Purpose::Target as u32),
        ("PURPOSE_CLOCK", Purpose::Clock as u32),
        ("PURPOSE_DART", Purpose::Dart as u32),
    ] {
        assert_eq!(constants[name], Literal::U32(number), "{name}");
    }
    assert_eq!(constants["IMPROBABLE"], Literal::F32(IMPROBABLE as f32));
    let constants = self::constants(&module(Kernel::Couple));
    for (name, number) in [
        ("COUPLING_INDEPENDENT", COUPLING_INDEPENDENT),
        ("COUPLING_MINHASH", COUPLING_MINHASH),
        ("COUPLING_GUMBEL", COUPLING_GUMBEL),
        ("COUPLING_OPTIMAL", COUPLING_OPTIMAL),
        ("MAX_DARTS", MAX_DARTS),
    ] {
        assert_eq!(constants[name], Literal::U32(number), "{name}");
    }
    assert_eq!(constants["SMALLEST_PROB"], Literal::F32(SMALLEST_PROB));
    let constants = self::constants(&module(Kernel::DraftBlock));
    for (name, numbers) in [
        ("STREAM_VECTORS", BLOCK_STREAM),
        ("OTHER_VECTORS", BLOCK_INTERMEDIATE),
        ("EIGHT_VECTORS", COMMON_HEAD_DIM),
    ] {
        assert_eq!(constants[name], Literal::U32(numbers as u32 / 4), "{name}");
    }
}
