import { useSignal } from '@preact/signals'
import { matchCommands, type Command } from '../core/composer/commands.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { Loaded } from '../ui/Loaded.js'
import { Dialog } from '../ui/Dialog.js'
import { TextField } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { aboutCommand, assistOf } from './assist.js'

/** Lists all commands; the picked one is put into the box. */
export function CommandHelp ({ opened, onClose }: { opened: OpenChat, onClose: () => void }) {
  const sought = useSignal('')
  const w = screenWords.value.commands
  const pick = ({ name, args_hint: hint }: Command): void => {
    onClose()
    opened.draft.write(`/${name}${hint === '' ? '' : ' '}`)
  }
  return (
    <Dialog open onClose={onClose} title={w.help} note={w.helpNote}>
      <TextField
        label={w.search} bare type='search' placeholder={w.search} value={sought.value} autofocus
        onValue={(value) => { sought.value = value }}
      />
      <Loaded of={assistOf(opened).commands}>
        {(commands) => <Found commands={found(commands, sought.value)} sought={sought.value} onPick={pick} />}
      </Loaded>
    </Dialog>
  )
}

function Found ({ commands, sought, onPick }: { commands: readonly Command[], sought: string, onPick: (command: Command) => void }) {
  if (commands.length === 0) return <p class='composer-help-none' role='status'>{screenWords.value.commands.none(sought)}</p>
  return (
    <ul class='composer-help'>
      {commands.map((command) => (
        <li key={command.name}>
          <button type='button' class='menu-item' onClick={() => onPick(command)}>
            <span class='menu-text'>
              <code>/{command.name}</code> <span class='suggestion-hint'>{command.args_hint}</span>
              <span class='menu-note'><bdi>{aboutCommand(command)}</bdi></span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Returns commands whose name matches, then those whose description does. */
function found (commands: readonly Command[], sought: string): readonly Command[] {
  const search = sought.trim().replace(/^\//, '')
  if (search === '') return commands
  const named = matchCommands(commands, search)
  const about = commands.filter((command) => !named.includes(command) && aboutCommand(command).toLowerCase().includes(search.toLowerCase()))
  return [...named, ...about]
}
