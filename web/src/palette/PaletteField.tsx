import { type Signal } from '@preact/signals'
import { Kbd } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { Search, X } from '../ui/icons.js'
import { isPhone, isTouch } from '../ui/screen.js'
import { screenWords, words } from '../words/index.js'

export interface PaletteFieldProps {
  typed: Signal<string>
  /** Whether it accepts a new title for the open chat, without a list. */
  isRenaming: boolean
  /** The active filter of the entries; null if there is none. */
  filter: string | null
  listId: string
  /** The id of the chosen entry. */
  chosenId: string | undefined
  onInput: (text: string) => void
  onKeyDown: (event: KeyboardEvent) => void
  onClose: () => void
}

export function PaletteField ({ typed, isRenaming, filter, listId, chosenId, onInput, onKeyDown, onClose }: PaletteFieldProps) {
  const w = screenWords.value.palette
  return (
    <div class='palette-field'>
      <Icon of={Search} size={18} />
      {filter === null ? null : <span class='palette-filter'>{filter}</span>}
      <input
        type='text' autofocus dir='auto' value={typed} placeholder={isRenaming ? w.newTitle : w.placeholder}
        aria-label={isRenaming ? w.newTitle : w.title} maxLength={isRenaming ? 80 : 200}
        autocomplete='off' spellcheck={false} enterkeyhint={isRenaming ? 'done' : 'go'}
        {...(isRenaming
          ? {}
          : {
              role: 'combobox', 'aria-expanded': true, 'aria-controls': listId, 'aria-autocomplete': 'list', 'aria-activedescendant': chosenId
            })}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {isPhone.value || isTouch.value ? <Button kind='quiet' icon={X} label={words.value.common.close} onClick={onClose} /> : <Kbd>Esc</Kbd>}
    </div>
  )
}
