import { type Words } from '../en/index.js'

/** Texts for the output of calls. */
export const output: Words['output'] = {
  name: 'Ausgabe bisher',
  lastLines: 'Letzte Zeilen',
  allOutput: 'Ganze Ausgabe',
  leftOut: (bytes) => `… ${bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1).replace('.', ',')} MB`} weggelassen …`,
  earlierLines: 'Frühere Zeilen'
}
