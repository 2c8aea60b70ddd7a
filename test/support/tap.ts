import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import { type Test } from 'tap'
import { startedWith } from '../../services/ground/process/environment.js'

const { createHook } = hooks

/** What tap has for the process itself. */
export const root = await withoutHooks(async () => (await import('tap')).default)

let current: Test = root

// Tests are the entry of their process.
startedWith(process.env)

/**
 * What test files get for `tap` (scripts/build-tests.js): tap itself, or, where a process runs several of them, what holds the tests of
 * the one that runs.
 */
export default new Proxy(root, {
  get (_, name) {
    const value: unknown = Reflect.get(current, name)
    return typeof value === 'function' ? value.bind(current) as unknown : value
  }
})

/** From here on `t` at the top of a file is this. */
export function hold (file: Test): void {
  current = file
}

/**
 * tap looks at every promise there is, to know of an error that nobody caught which test it belongs to: a sixth of the time that tests
 * take, and not how a service runs elsewhere. Without that, such an error ends the process, and fails the file.
 */
async function withoutHooks<Value> (load: () => Promise<Value>): Promise<Value> {
  const none = { enable: () => none, disable: () => none }
  change(() => none)
  try {
    return await load()
  } finally {
    change(createHook)
  }
}

function change (create: typeof createHook): void {
  hooks.createHook = create
  syncBuiltinESMExports()
}
