import t from '../../test/support/harness.js'
import { ranked } from '../src/core/screen/palette-search.js'
import { isReachable } from '../src/core/service/reachable.js'
import { neighbour, shortcutOf, shortcuts, type Pressed } from '../src/core/screen/shortcuts.js'

const pressed = (key: string, more: Partial<Pressed> = {}): Pressed => ({ key, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, defaultPrevented: false, ...more })

t.test('keys do something only while nobody types; what goes with Ctrl or ⌘ always does', async (t) => {
  for (const { id, key, withControl = false } of shortcuts) {
    t.equal(shortcutOf(pressed(key, { ctrlKey: withControl }), false), id)
    t.equal(shortcutOf(pressed(key, { metaKey: withControl }), true), withControl ? id : null)
  }
  t.equal(new Set(shortcuts.map(({ key, withControl }) => `${key}${withControl}`)).size, shortcuts.length, 'no key means two things')
  t.equal(shortcutOf(pressed('n', { ctrlKey: true }), false), null, 'the browser has that one')
  for (const taken of [{ isComposing: true }, { defaultPrevented: true }, { altKey: true }]) t.equal(shortcutOf(pressed('n', taken), false), null)
})

t.test('the palette puts first what begins like what was typed, and leaves out what has nothing to do with it', async (t) => {
  const entries = [{ text: 'Rename this chat' }, { text: 'New chat' }, { text: 'Dark colours', keywords: 'theme' }, { text: 'A song on a theme', isWritten: true }, { text: 'Theme park', isWritten: true }, { text: 'All themes' }, { text: 'Café am Fluss' }, { text: '设置' }]
  const found = (typed: string): string[] => ranked(entries, typed).map(({ text }) => text)
  t.same(found('new'), ['New chat'])
  t.same(found('chat'), ['Rename this chat', 'New chat'])
  t.same(found('chat ren'), ['Rename this chat'], 'words in any order')
  t.same(found('theme'), ['Theme park', 'All themes', 'Dark colours', 'A song on a theme'], 'what begins so, a name, a keyword, and what a person has written')
  t.same(found('CAFE  fl'), ['Café am Fluss'])
  t.same(found('设'), ['设置'])
  t.same(found('zzz'), [])
  t.equal(found(' ').length, entries.length)
})

t.test('next and previous chats, and addresses that a phone could open', async (t) => {
  const ids = ['a', 'b', 'c']
  t.same([neighbour(ids, 'b', 1), neighbour(ids, 'b', -1), neighbour(ids, 'c', 1), neighbour(ids, null, 1), neighbour(ids, 'gone', -1), neighbour([], null, 1)], ['c', 'a', null, 'a', 'c', null])
  for (const own of ['localhost', 'app.localhost', '127.0.0.1', '127.9.9.9', '[::1]', '0.0.0.0']) t.equal(isReachable(own), false, own)
  for (const known of ['192.168.1.7', 'desk.local', 'agent.example.org', '[fd00::7]']) t.equal(isReachable(known), true, known)
})
