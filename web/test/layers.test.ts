import { setImmediate } from 'node:timers/promises'
import t from '../../test/support/harness.js'
import { Layers, type LayerEnd, type LayerHistory } from '../src/core/screen/layers.js'

interface Entry { state: unknown, place: string }

/** A window's history: going arrives later, pushing cuts off what lay ahead. */
class FakeHistory implements LayerHistory {
  entries: Entry[]
  at: number
  arriving = 0
  #listeners: Array<() => void> = []

  constructor (entries: Entry[] = [{ state: null, place: '/a' }], at = entries.length - 1) {
    this.entries = entries
    this.at = at
  }

  get state () { return this.entries[this.at]!.state }
  get place () { return this.entries[this.at]!.place }
  get places () { return this.entries.slice(0, this.at + 1).map(({ place }) => place) }

  pushState (state: unknown, unused: string, url?: string | URL | null): void {
    this.entries = [...this.entries.slice(0, this.at + 1), { state, place: String(url ?? this.place) }]
    this.at++
  }

  replaceState (state: unknown, unused: string, url?: string | URL | null): void {
    this.entries[this.at] = { state, place: String(url ?? this.place) }
  }

  go (delta: number): void {
    this.arriving++
    void setImmediate().then(() => {
      this.arriving--
      if (this.entries[this.at + delta] === undefined) return
      this.at += delta
      for (const listener of this.#listeners) listener()
    })
  }

  onArrival (listener: () => void): void {
    this.#listeners.push(listener)
  }

  intercept (method: 'pushState' | 'replaceState', before: (state: unknown, url: string | URL | null | undefined, proceed: () => void) => void): void {
    const original = this[method].bind(this)
    this[method] = (state, unused, url) => before(state, url, () => original(state, unused, url))
  }
}

/** Opens a layer that closes when it is asked to, as a component would. */
function open (layers: Layers, entry = true) {
  const ends: LayerEnd[] = []
  const closed = layers.add((end) => { ends.push(end); closed() }, { entry })
  return { ends, close: closed }
}

/** Until nothing is on its way any more. */
async function settled (history: FakeHistory): Promise<void> {
  let calm = 0
  while (calm < 5) {
    await new Promise((resolve) => setTimeout(resolve))
    calm = history.arriving === 0 ? calm + 1 : 0
  }
}

t.test('Back closes the topmost layer, one by one, and only then leaves', async (t) => {
  const history = new FakeHistory([{ state: null, place: '/before' }, { state: null, place: '/a' }])
  const layers = new Layers(history)
  const [drawer, dialog] = [open(layers), open(layers)]
  await settled(history)
  t.strictSame(history.places, ['/before', '/a', '/a', '/a'])

  history.go(-1)
  await settled(history)
  t.strictSame([drawer.ends, dialog.ends], [[], ['back']])
  history.go(-1)
  await settled(history)
  t.strictSame(drawer.ends, ['back'])
  t.strictSame(history.places, ['/before', '/a'])
})

t.test('what closes by other means leaves no entry behind, wherever it lay', async (t) => {
  const history = new FakeHistory()
  const layers = new Layers(history)
  const [drawer, dialog] = [open(layers), open(layers)]
  await settled(history)
  drawer.close()
  await settled(history)
  t.strictSame(history.places, ['/a', '/a'])
  t.ok(layers.escape())
  t.strictSame(dialog.ends, ['escape'])
  await settled(history)
  t.strictSame(history.places, ['/a'])
  t.notOk(layers.escape(), 'nothing is left to close')
})

t.test('a dialog that opens as a menu closes takes over its entry; one that opens on the way back gets its own', async (t) => {
  const history = new FakeHistory()
  const layers = new Layers(history)
  const menu = open(layers)
  await settled(history)
  menu.close()
  const dialog = open(layers)
  await settled(history)
  t.strictSame(history.places, ['/a', '/a'])

  const leaves = new Promise<void>((resolve) => {
    const go = history.go.bind(history)
    history.go = (delta) => {
      go(delta)
      resolve()
    }
  })
  dialog.close()
  await leaves
  const late = open(layers)
  await settled(history)
  t.strictSame(history.places, ['/a', '/a'])
  t.strictSame([dialog.ends, late.ends], [[], []])
  history.go(-1)
  await settled(history)
  t.strictSame(late.ends, ['back'])
})

t.test('going to a route closes what covers the page; Back then leads to where the page was', async (t) => {
  for (const depth of [1, 2]) {
    const history = new FakeHistory()
    const layers = new Layers(history)
    const opened = Array.from({ length: depth }, () => open(layers))
    await settled(history)
    history.pushState(null, '', '/b')
    await settled(history)
    t.strictSame(history.places, ['/a', '/b'], `${depth} open`)
    t.strictSame(opened.map(({ ends }) => ends), opened.map(() => ['route']))
    t.equal(layers.size, 0)
    history.go(-1)
    await settled(history)
    t.strictSame(history.places, ['/a'])
  }
})

t.test('an address that is replaced under a layer is that of the page when the layer has closed', async (t) => {
  const history = new FakeHistory()
  const layers = new Layers(history)
  const dialog = open(layers)
  await settled(history)
  history.replaceState(null, '', '/a?tab=2')
  await settled(history)
  t.strictSame(dialog.ends, [])
  dialog.close()
  await settled(history)
  t.strictSame(history.places, ['/a?tab=2'])
})

t.test('Back to another page from under a layer closes it', async (t) => {
  const history = new FakeHistory([{ state: null, place: '/a' }, { state: null, place: '/b' }])
  const layers = new Layers(history)
  const dialog = open(layers)
  await settled(history)
  history.go(-2)
  await settled(history)
  t.strictSame(dialog.ends, ['route'])
  t.strictSame(history.places, ['/a'])
})

t.test('a reload with open layers goes back to the page; forward to a layer that is gone does nothing', async (t) => {
  const history = new FakeHistory([{ state: null, place: '/a' }, { state: { layers: 1 }, place: '/a' }, { state: { layers: 2 }, place: '/a' }])
  const layers = new Layers(history)
  await settled(history)
  t.strictSame(history.places, ['/a'])
  history.go(1)
  await settled(history)
  t.strictSame(history.places, ['/a'])
  t.equal(layers.size, 0)
})

t.test('a panel beside the page closes on Escape but is none of the history', async (t) => {
  const history = new FakeHistory()
  const layers = new Layers(history)
  const panel = open(layers, false)
  await settled(history)
  t.strictSame(history.places, ['/a'])
  history.pushState(null, '', '/b')
  await settled(history)
  t.strictSame(panel.ends, [], 'it stays when the route changes')
  const dialog = open(layers)
  await settled(history)
  history.go(-1)
  await settled(history)
  t.strictSame([panel.ends, dialog.ends], [[], ['back']])
  layers.escape()
  t.strictSame(panel.ends, ['escape'])
})
