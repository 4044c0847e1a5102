// The browser of tests and measurements.
import { chromium } from "playwright-core";

/** Starts the Chromium that the environment names. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "chromium",
    args: [
      // Containers run as root, where Chromium's sandbox refuses to start.
      "--no-sandbox",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // SwiftShader gives WebGPU to machines without a graphics card.
      "--enable-unsafe-webgpu",
      "--enable-features=Vulkan",
      "--use-vulkan=swiftshader",
    ],
  });
