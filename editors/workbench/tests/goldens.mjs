// Compares screenshots with those that somebody has looked at: NAME.webp in a folder of goldens, at half their size.
// UPDATE=1 rewrites them. Fonts are drawn a little differently by each machine and browser, so that a screenshot is
// right where few of its parts differ much: it is compared at a quarter of its size. Where a machine has other fonts than
// the goldens were drawn with nothing can be compared, and the test says so.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/** The share of a picture that may differ, and by how much of 255 in a colour a point differs. */
const [mostShare, mostColour] = [0.02, 40];

/**
 * Compares in a blank page of the browser, which can decode pictures. `wrong` says what differs, by name.
 *
 * @param {string} folder of the goldens
 * @param {string} out where a picture that differs is put
 */
export async function goldens(context, folder, out) {
  const [looked] = context.pages();
  const blank = await context.newPage();
  await looked.bringToFront(); // a page that is behind another one is drawn late
  mkdirSync(folder, { recursive: true });
  const wrong = [];
  const seen = new Set();
  const fonts = JSON.stringify(await blank.evaluate(widths));
  const fontsFile = resolve(folder, "fonts.json");
  if (process.env.UPDATE) writeFileSync(fontsFile, `${fonts}\n`);
  const comparable = readFileSync(fontsFile, "utf8").trim() === fonts;
  if (!comparable) console.log(`the fonts are not those of the goldens (${fonts}): pictures are not compared`);
  return {
    wrong,
    seen,
    /** Whether pictures are compared at all. */
    comparable,
    /** Returns the names of goldens that nothing was compared with. */
    stale: () => readdirSync(folder).filter((f) => f.endsWith(".webp")).map((f) => f.replace(/\.webp$/, "")).filter((f) => !seen.has(f)),
    async compare(name, png) {
      seen.add(name);
      if (!comparable) return;
      const file = resolve(folder, `${name}.webp`);
      const update = process.env.UPDATE || !existsSync(file);
      const golden = update ? "" : readFileSync(file).toString("base64");
      const found = await blank.evaluate(differs, { png: png.toString("base64"), golden, mostColour });
      if (update) {
        writeFileSync(file, Buffer.from(found.half, "base64"));
        if (!process.env.UPDATE) wrong.push(`${name}: there was no golden; look at the one that is there now`);
      } else if (found.share > mostShare) {
        wrong.push(`${name}: ${(100 * found.share).toFixed(1)} % differ, ${found.sizes}`);
        writeFileSync(resolve(out, `differs-${name}.png`), png);
      } else rmSync(resolve(out, `differs-${name}.png`), { force: true });
    },
  };
}

/** Returns how wide a text is in the fonts that the page uses, in pixels. */
function widths() {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  const texts = [["system-ui", "The quick brown fox"], ["ui-monospace, monospace", "The quick brown fox"], ["system-ui", "いろはにほへと"]];
  return texts.map(([font, text]) => {
    context.font = `100px ${font}`;
    return Math.round(context.measureText(text).width);
  });
}

/* global document, createImageBitmap, Blob, FileReader, OffscreenCanvas */
async function differs({ png, golden, mostColour }) {
  const decode = (base64) => createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
  const draw = (image, width, height) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, width, height);
    return { canvas, data: context.getImageData(0, 0, width, height).data };
  };
  const shot = await decode(png);
  if (!golden) {
    const blob = await draw(shot, shot.width >> 1, shot.height >> 1).canvas.convertToBlob({ type: "image/webp", quality: 0.7 });
    const url = await new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result);
      reader.readAsDataURL(blob);
    });
    return { half: url.split(",")[1] };
  }
  const known = await decode(golden);
  const sizes = `${shot.width >> 1} × ${shot.height >> 1} against ${known.width} × ${known.height}`;
  if (shot.width >> 1 !== known.width || shot.height >> 1 !== known.height) return { share: 1, sizes };
  const [width, height] = [shot.width >> 2, shot.height >> 2];
  const half = draw(shot, shot.width >> 1, shot.height >> 1).canvas;
  const [a, b] = [draw(half, width, height).data, draw(known, width, height).data];
  let different = 0;
  for (let i = 0; i < a.length; i += 4) if ([0, 1, 2].some((c) => Math.abs(a[i + c] - b[i + c]) > mostColour)) different++;
  return { share: different / (width * height), sizes };
}
