import t from '../../test/support/harness.js'
import { nextItem, typedItem, type MenuItem } from '../src/ui/menu-items.js'
import { placeBeside } from '../src/ui/place-beside.js'
import { remove, toast, toasts } from '../src/ui/toasts.js'

const item = (text: string, disabled = false): MenuItem => ({ text, disabled, onPick: () => {} })

t.test('keys go through a menu past what is disabled, letters to what begins with them', async (t) => {
  const items = [item('Rename'), item('Read', true), item('Remove'), item('Pin'), item('Off', true)]
  t.equal(nextItem('ArrowDown', 0, items), 2)
  t.equal(nextItem('ArrowDown', 3, items), 0, 'around the end')
  t.equal(nextItem('ArrowUp', 0, items), 3)
  t.equal(nextItem('End', 0, items), 3)
  t.equal(nextItem('x', 0, items), null)
  t.equal(nextItem('ArrowDown', -1, [item('a', true)]), null, 'nothing can be chosen')
  t.equal(typedItem('r', 0, items), 2, 'the next with that letter')
  t.equal(typedItem('rem', 0, items), 2)
  t.equal(typedItem('P', 2, items), 3)
  t.equal(typedItem('z', 0, items), null)
})

t.test('what opens beside something stays in the window', async (t) => {
  const window = { width: 400, height: 600 }
  t.strictSame(placeBeside({ left: 10, right: 50, top: 10, bottom: 40 }, { width: 200, height: 100 }, window, 'start'), { left: 10, top: 44, maxHeight: 548 })
  t.equal(placeBeside({ left: 350, right: 390, top: 10, bottom: 40 }, { width: 200, height: 100 }, window, 'start').left, 192)
  t.equal(placeBeside({ left: 10, right: 50, top: 560, bottom: 590 }, { width: 200, height: 100 }, window, 'end').top, 456, 'above where there is no room below')
  t.equal(placeBeside({ left: 10, right: 50, top: 300, bottom: 330 }, { width: 200, height: 2000 }, window, 'end').left, 8)
})

t.test('one toast at a time, the newest, which can be taken back', async (t) => {
  toast('a', { about: 'copy' })
  toast('b', { about: 'copy' })
  t.strictSame(toasts.value.map(({ text }) => text), ['b'])
  const takeBack = toast('c', { kind: 'bad', action: { text: 'Undo', onPick: () => {} } })
  t.strictSame(toasts.value.map(({ text }) => text), ['c'])
  takeBack()
  t.strictSame(toasts.value, [])
  toast('d')
  for (const { id } of toasts.value) remove(id)
  t.strictSame(toasts.value, [])
})
