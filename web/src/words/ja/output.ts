import { type Words } from '../en/index.js'

/** Texts for the output of calls. */
export const output: Words['output'] = {
  name: 'これまでの出力',
  lastLines: '最後の行',
  allOutput: 'すべての出力',
  leftOut: (bytes) => `… ${bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`} 省略 …`,
  earlierLines: '以前の行'
}
