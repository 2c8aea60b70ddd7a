/** Texts for the output of calls. */
export const output = {
  name: 'Output so far',
  lastLines: 'Last lines',
  allOutput: 'All output',
  leftOut: (bytes: number): string =>
    `… ${bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`} left out …`,
  earlierLines: 'Earlier lines'
}
