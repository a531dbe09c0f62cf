/** The tasks of the view Explore. Answers move to the page; a call that is cancelled ends at its next pause. */

import { atomGallery, encodePng } from "trainlets";
import { type AtomFamily, atomFamilies } from "trainlets/parts";
import { modelOf } from "../models";
import { nextTurn } from "../onKernels";
import { type Task, transferring } from "../protocol";
import { atomsOf, type Tiles, tilesOf } from "./exploreAtoms";
import { codePicture, type Signal } from "./exploreCodes";
import { AtomFourier } from "./exploreFourier";
import { correlations, exploreOrder } from "./exploreOrder";
import { type AtomPlaces, type PlacesRequest, placesIn } from "./explorePlaces";
import type { OrderRequest } from "./exploreRequests";
import {
  type SpectrumMeasures,
  type SpectrumPicture,
  spectrumMeasures,
  spectrumPicture,
} from "./exploreSpectra";
import { type AtomTerms, termsOf } from "./exploreTerms";

/** The most families and neighbours. */
const familyCount = 16;
const neighbourCount = 12;
/** The spectrum that is shown has at least this many pixels per sample. */
const shownPadding = 3;

export interface AtomTiles extends Tiles {
  /** How many training examples used each atom, where the file says so. */
  readonly uses: Uint32Array<ArrayBuffer> | undefined;
}

/** The tiles of all atoms. */
const exploreTiles: Task<{ id: number }, AtomTiles> = async ({ id }, { signal }) => {
  const model = modelOf(id);
  const atoms = await atomsOf(model);
  const { look, bytes } = await tilesOf(model.shape, atoms.cols, (j) => atoms.column(j), signal);
  const uses = model.uses && Uint32Array.from(model.uses);
  return transferring({ look, bytes, uses }, [bytes.buffer]);
};

/** All atoms in an order. */
const exploreSorted: Task<{ id: number } & OrderRequest, Uint32Array<ArrayBuffer>> = async (
  { id, ...request },
  { signal },
) => {
  const model = modelOf(id);
  const atoms = await atomsOf(model);
  await nextTurn(signal);
  const order = await exploreOrder(atoms, model.shape, model.uses, request, signal);
  return transferring(order, [order.buffer]);
};

export interface AtomDetail extends SpectrumMeasures {
  readonly atom: number;
  readonly samples: Float32Array<ArrayBuffer>;
  readonly spectrum: SpectrumPicture;
  /** The most similar atoms, by |correlation|. */
  readonly neighbours: readonly { readonly atom: number; readonly correlation: number }[];
  /** Undefined for an explicit dictionary. */
  readonly terms: (Omit<AtomTerms, "baseAtoms"> & { readonly tiles: Tiles }) | undefined;
}

/** One atom up close. */
const exploreAtom: Task<{ id: number; atom: number }, AtomDetail> = async ({ id, atom }, { signal }) => {
  const model = modelOf(id);
  const atoms = await atomsOf(model);
  await nextTurn(signal);
  const samples = Float32Array.from(atoms.column(atom));
  const spectrum = spectrumPicture(new AtomFourier(model.shape, shownPadding).spectrum(samples));
  const measures = spectrumMeasures(new AtomFourier(model.shape).spectrum(samples));
  const found = correlations(atoms, atom);
  const neighbours = Array.from(found.keys())
    .filter((other) => other !== atom)
    .sort((a, b) => Math.abs(found[b]) - Math.abs(found[a]) || a - b)
    .slice(0, neighbourCount)
    .map((other) => ({ atom: other, correlation: found[other] }));
  await nextTurn(signal);
  const moved: Transferable[] = [samples.buffer];
  const detail = { atom, samples, spectrum, ...measures, neighbours };
  if (model.dictionary) return transferring({ ...detail, terms: undefined }, moved);
  const { baseAtoms, ...sums } = termsOf(model, atom, samples);
  const n = samples.length;
  const tiles = await tilesOf(
    model.shape,
    sums.rows.length,
    (t) => baseAtoms.subarray(t * n, (t + 1) * n),
    signal,
  );
  moved.push(sums.sums.buffer, tiles.bytes.buffer);
  return transferring({ ...detail, terms: { ...sums, tiles } }, moved);
};

let families: { readonly model: object; readonly found: readonly AtomFamily[] } | undefined;

/** Families of atoms with one pattern at different places (figure 10); those of the last dictionary are kept. */
const exploreFamilies: Task<{ id: number }, readonly AtomFamily[]> = async ({ id }, { signal }) => {
  const model = modelOf(id);
  if (families?.model === model) return families.found;
  const atoms = await atomsOf(model);
  await nextTurn(signal);
  const found = atomFamilies(atoms, model.shape, { count: familyCount });
  families = { model, found };
  return found;
};

/** Where a picture that was coded before uses an atom; undefined if it was not. */
const explorePlaces: Task<{ id: number; signal: number } & PlacesRequest, AtomPlaces | undefined> = async (
  { id, signal, ...request },
  context,
) => {
  const model = modelOf(id);
  const atoms = await atomsOf(model);
  await nextTurn(context.signal);
  const places = placesIn(model, signal, request, atoms.column(request.atom));
  return places && transferring(places, [places.heat.buffer, places.low.buffer, places.high.buffer]);
};

/** Code a picture for `explorePlaces`; reports the fraction that is done. */
const exploreCode: Task<{ id: number; signal: Signal }, void, number> = async (
  { id, signal },
  { report, signal: abort },
) => {
  await codePicture(modelOf(id), signal, report, abort);
};

/** The gallery in an order as a PNG file. */
const explorePng: Task<{ id: number; order: Uint32Array }, Uint8Array<ArrayBuffer>> = async ({
  id,
  order,
}) => {
  const model = modelOf(id);
  const atoms = await atomsOf(model);
  const bytes = Uint8Array.from(encodePng(atomGallery(atoms, model.shape, { order: Array.from(order) })));
  return transferring(bytes, [bytes.buffer]);
};

export const exploreTasks = {
  exploreTiles,
  exploreSorted,
  exploreAtom,
  exploreFamilies,
  explorePlaces,
  exploreCode,
  explorePng,
};
