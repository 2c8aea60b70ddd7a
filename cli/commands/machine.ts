import { type Run } from '../command.js'

export const run: Run = async () => {
  await import('../../machine/main.js')
  return null
}
