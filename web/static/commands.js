import { announce, byId, el } from './dom.js'

/** What can be typed at the beginning of a message. Those that belong to another are offered once that is typed. */
const commands = [
  { insert: '/goal ', form: '/goal <text>', means: 'Work turn after turn until it is reached' },
  { insert: '/goal status', of: '/goal', means: 'How the goal stands' },
  { insert: '/goal pause', of: '/goal', means: 'Stop after the running turn' },
  { insert: '/goal resume', of: '/goal', means: 'Go on with the next message' },
  { insert: '/goal clear', of: '/goal', means: 'Drop the goal' },
  { insert: '/btw ', form: '/btw <question>', means: 'Ask on the side; the conversation stays as it is' },
  { insert: '/background ', form: '/background <prompt>', means: 'Let a task run beside the conversation' }
]
const names = new Set(['goal', 'btw', 'background'])

/**
 * @param {string} text a message as it was typed
 * @returns {{ name: 'goal' | 'btw' | 'background', args: string } | null} null for a plain message
 */
export function parseCommand (text) {
  const match = /^\/([a-z]+)(?:\s+([^]*))?$/.exec(text.trim())
  return match !== null && names.has(match[1]) ? { name: match[1], args: (match[2] ?? '').trim() } : null
}

/**
 * The hints above the box while a command is being typed: arrows choose, Tab or Enter takes, Escape puts them away.
 * @param {HTMLTextAreaElement} box
 * @param {() => void} onTaken the box has another text now
 * @returns {{ update: () => void, hide: () => void, key: (event: KeyboardEvent) => boolean }} `key` says whether the key was for the hints
 */
export function createCommandHints (box, onTaken) {
  const list = byId('commands')
  let offered = []
  let active = -1
  /** The text at which they were put away: they stay away while it is only added to. */
  let putAwayAt = null

  function update () {
    const text = box.value
    if (putAwayAt !== null && !text.startsWith(putAwayAt)) putAwayAt = null
    const before = offered.length
    offered = putAwayAt !== null || !/^\/\S*(?: \S*)?$/.test(text) ? [] : commands.filter((command) => isFitting(command, text))
    active = -1
    list.replaceChildren(...offered.map((command, index) => el('li', {
      id: `command-${index}`,
      role: 'option',
      'aria-selected': 'false',
      // The box keeps the focus.
      onpointerdown: (event) => event.preventDefault(),
      onclick: () => take(command)
    }, el('code', {}, command.form ?? command.insert), el('span', {}, command.means))))
    list.hidden = offered.length === 0
    if (list.hidden) box.removeAttribute('aria-activedescendant')
    else if (before === 0) announce(`${offered.length} command${offered.length === 1 ? '' : 's'}: arrow keys choose`)
  }

  function take ({ insert }) {
    box.value = insert
    onTaken()
    update()
    box.focus()
  }

  function select (index) {
    active = (index + offered.length) % offered.length
    for (const [position, item] of [...list.children].entries()) item.setAttribute('aria-selected', String(position === active))
    box.setAttribute('aria-activedescendant', `command-${active}`)
    list.children[active].scrollIntoView({ block: 'nearest' })
  }

  return {
    update,
    hide () {
      list.hidden = true
      box.removeAttribute('aria-activedescendant')
    },
    key ({ key, shiftKey }) {
      if (list.hidden || shiftKey) return false
      if (key === 'ArrowDown') select(active + 1)
      else if (key === 'ArrowUp') select(active === -1 ? -1 : active - 1)
      else if (key === 'Escape') {
        putAwayAt = box.value
        update()
      } else if (key === 'Tab' || (key === 'Enter' && active !== -1)) {
        const command = offered[Math.max(active, 0)]
        if (command.insert === box.value) return false
        take(command)
      } else return false
      return true
    }
  }
}

/** What was typed is the beginning of the command, or its own text has begun. */
function isFitting ({ insert, of }, text) {
  if (of !== undefined && !text.startsWith(of)) return false
  return insert.startsWith(text) || (of === undefined && text.startsWith(insert))
}
