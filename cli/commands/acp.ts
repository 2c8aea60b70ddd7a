import { type Run } from '../command.js'

export const run: Run = async () => {
  await import('../../acp/main.js')
  return null
}
