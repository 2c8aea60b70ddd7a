import { type Arena, type ServiceOptions } from './arena.js'

/** A start that has to be refused: exit code 1, in words for a person, without a stack trace. Whether it was. */
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
