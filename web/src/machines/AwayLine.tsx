import { absenceOf } from '../core/machines/machines.js'
import { visible } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { Unplug } from '../ui/icons.js'
import { screenWords } from '../words/index.js'
import { sayAbsence } from './say.js'
import { useMachines } from './store.js'
import './machines.css'

/** Shows above the box that the machine of the chat is offline. Messages can still be sent, and the service answers them. */
export function AwayLine ({ name, isRunning, onOtherFolder }: { name: string, isRunning: boolean, onOtherFolder: (() => void) | null }) {
  const absence = absenceOf(name, useMachines().value.value)
  return (
    <div class='away-line' role='status'>
      {absence === null
        ? null
        : (
          <p>
            <Icon of={Unplug} />
            <span>{sayAbsence(visible(name), absence, isRunning)}</span>
            {isRunning || onOtherFolder === null
              ? null
              : <Button kind='quiet' size='small' onClick={onOtherFolder}>{screenWords.value.chat.otherFolder}</Button>}
          </p>
          )}
    </div>
  )
}
