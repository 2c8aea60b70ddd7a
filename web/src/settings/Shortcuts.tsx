import { ShortcutList } from '../palette/ShortcutList.js'
import { screenWords } from '../words/index.js'
import { Part } from './Part.js'
import { shownChoice } from './say.js'
import { valueOf } from './store.js'
import { settingsTable } from './table.js'

/** Lists the keyboard shortcuts, including those of the message box and of cards. */
export function Shortcuts () {
  const s = screenWords.value.settings.shortcuts
  const sendKey = settingsTable.find(({ key }) => key === 'send_key')
  const send = sendKey === undefined ? '' : shownChoice(sendKey, String(valueOf(sendKey)))
  return (
    <Part name='shortcuts'>
      <ShortcutList
        more={[
          [s.send, send], [s.line, send === 'Enter' ? 'Shift Enter' : 'Enter'], [s.stop, s.keys.stop], [s.approve, s.keys.approve],
          [s.session, s.keys.session], [s.deny, s.keys.deny]
        ]}
      />
    </Part>
  )
}
