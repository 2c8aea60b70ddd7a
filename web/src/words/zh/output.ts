import { type Words } from '../en/index.js'

export const output: Words['output'] = {
  name: '目前的输出',
  lastLines: '最后几行',
  allOutput: '全部输出',
  leftOut: (bytes) => `…… 略去 ${bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`} ……`,
  earlierLines: '更早的行'
}
