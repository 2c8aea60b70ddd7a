import { settings } from '../app.js'
import { Kbd } from '../ui/Badge.js'
import { screenWords } from '../words/index.js'

/** Lists the keyboard shortcuts. */
export function Shortcuts () {
  const w = screenWords.value.settings
  const s = w.shortcuts
  const send = w.choice(typeof settings.values.value.send_key === 'string' ? settings.values.value.send_key : 'enter')
  const rows = [
    [s.palette, s.keys.palette], [s.send, send], [s.line, send === 'Enter' ? 'Shift + Enter' : 'Enter'],
    [s.stop, s.keys.stop], [s.approve, s.keys.approve], [s.session, s.keys.session], [s.deny, s.keys.deny]
  ] as const
  return (
    <dl class='settings-facts'>
      {rows.map(([name, keys]) => <div key={name} class='settings-fact'><dt>{name}</dt><dd><Kbd>{keys}</Kbd></dd></div>)}
    </dl>
  )
}
