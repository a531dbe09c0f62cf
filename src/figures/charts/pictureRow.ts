/** Pictures side by side, each with a title above it, as one SVG picture. */

import { dataUrl } from "../pages/htmlPage.js";
import { escapeMarkup } from "../pages/markup.js";
import { encodePng, type Picture } from "../png.js";
import { svgNamespace } from "./svgDocument.js";

export interface TitledPicture {
  readonly title: string;
  readonly picture: Picture;
}

const gap = 24;
const titleHeight = 34;
const font = `font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="16" font-weight="bold"`;

export function pictureRow(pictures: readonly TitledPicture[]): string {
  let left = gap;
  const parts = pictures.map(({ title, picture }) => {
    const { width, height } = picture;
    const text = `<text x="${left}" y="${titleHeight - 10}" ${font} fill="#222222">${escapeMarkup(title)}</text>`;
    const image = `<image x="${left}" y="${titleHeight}" width="${width}" height="${height}" href="${dataUrl(encodePng(picture))}"/>`;
    left += width + gap;
    return text + image;
  });
  const height = titleHeight + Math.max(...pictures.map(({ picture }) => picture.height)) + gap;
  const sheet = '<rect width="100%" height="100%" fill="white"/>';
  const view = `width="${left}" height="${height}" viewBox="0 0 ${left} ${height}"`;
  return `<svg xmlns="${svgNamespace}" ${view} role="img">${sheet}${parts.join("")}</svg>`;
}
