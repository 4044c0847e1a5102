//! Loss curves as pictures.

use std::path::Path;

use anyhow::anyhow;
use plotters::prelude::*;

use crate::checkpoint::Loss;

/// Writes the losses of a training run as an SVG.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(path: &Path, title: &str, history: &[Loss]) -> anyhow::Result<()> {
    draw(path, title, history).map_err(|error| anyhow!("cannot write {}: {error}", path.display()))
}

fn draw(path: &Path, title: &str, history: &[Loss]) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::new(path, (640, 360)).into_drawing_area();
    area.fill(&WHITE)?;
    let steps = history.last().map_or(1, |loss| loss.step) as f64;
    let losses = || {
        history
            .iter()
            .flat_map(|loss| [loss.training, loss.held_out])
    };
    let lowest = losses().fold(f64::INFINITY, f64::min).min(1e6);
    let highest = losses().fold(lowest + 0.1, f64::max);
    let margin = 0.05 * (highest - lowest);
    let mut chart = ChartBuilder::on(&area)
        .caption(format!("{title}: loss by step"), ("Georgia, serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..steps, lowest - margin..highest + margin)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("optimiser steps")
        .y_desc("nats per token")
        .draw()?;
    type Figure = fn(&Loss) -> f64;
    let curves: [(&str, RGBColor, Figure); 2] = [
        (
            "of the labels, while training",
            RGBColor(128, 122, 110),
            |loss| loss.training,
        ),
        ("of held-out text", RGBColor(47, 111, 171), |loss| {
            loss.held_out
        }),
    ];
    for (name, colour, figure) in curves {
        let points = history.iter().map(|loss| (loss.step as f64, figure(loss)));
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .border_style(WHITE)
        .background_style(WHITE)
        .draw()?;
    area.present()?;
    Ok(())
}
