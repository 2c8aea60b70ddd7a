import { type Words } from '../en/index.js'

/** Texts for the output of calls. */
export const output: Words['output'] = {
  name: 'Sortie jusqu’ici',
  lastLines: 'Dernières lignes',
  allOutput: 'Toute la sortie',
  leftOut: (bytes) =>
    `… ${bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} ko` : `${(bytes / 1_000_000).toFixed(1).replace('.', ',')} Mo`} omis …`,
  earlierLines: 'Lignes antérieures'
}
