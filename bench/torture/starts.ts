import { type Arena, type ServiceOptions } from './arena.js'

/** Expects that a start is refused: exit code 1, with a readable reason, without a stack trace. Returns whether it was. */
export async function expectRefusal (arena: Arena, what: string, options: ServiceOptions, words: RegExp): Promise<boolean> {
  const { tally } = arena
  const service = await arena.service(options)
  if (service.url !== '') {
    tally.wrong(`${what}: the service came up`)
    await arena.stop(service)
    return false
  }
  const code = await service.exited
  if (code !== 1) tally.wrong(`${what}: the start ended with ${code}`)
  const output = service.output()
  if (/\n\s+at .*:\d+:\d+/.test(output)) tally.wrong(`${what}: the start ended with a stack trace: ${output.slice(0, 300)}`)
  else if (!words.test(output)) tally.wrong(`${what}: it is not said what is wrong: ${output.slice(0, 300)}`)
  return true
}
