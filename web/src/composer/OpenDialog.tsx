import { nextSession, type OpenChat } from '../conversation/open-chat.js'
import { EffortRow } from '../models/EffortPicker.js'
import { ModelPicker } from '../models/ModelPicker.js'
import { FolderChooser } from '../side/FolderChooser.js'
import { CopyButton } from '../ui/CopyButton.js'
import { Dialog } from '../ui/Dialog.js'
import { lazy } from '../ui/lazy.js'
import { screenWords } from '../words/index.js'
import { EffortDialog, PersonalityDialog } from './ChoiceDialogs.js'
import { CommandHelp } from './CommandHelp.js'
import { boxDialog, type BoxDialog } from './dialogs.js'
import { pickFolder, pickModel } from './picking.js'
import { modelOf, placeOf } from './session-model.js'
import { UsageDialog } from './UsageDialog.js'
import './box-dialogs.css'

const BeginDialog = lazy(async () => (await import('../attempts/BeginDialog.js')).BeginDialog, { waiting: null })
const close = (): void => { boxDialog.value = null }

/** Shows the open dialog. */
export function OpenDialog ({ dialog, opened }: { dialog: BoxDialog, opened: OpenChat }) {
  switch (dialog.kind) {
    case 'help': return <CommandHelp opened={opened} onClose={close} />
    case 'model':
      return (
        <ModelPicker
          open onClose={close} place={placeOf(opened)} current={modelOf(opened)}
          anchor={{ current: document.querySelector<HTMLElement>('.composer-model') }}
          onPick={(model, provider) => { void pickModel(opened, { model, provider }) }}
        >
          <EffortRow choice={modelOf(opened)} />
        </ModelPicker>
      )
    case 'reasoning': return <EffortDialog choice={modelOf(opened)} onClose={close} />
    case 'personality': return <PersonalityDialog opened={opened} onClose={close} />
    case 'workspace':
      return (
        <FolderChooser
          current={opened.conversation.session.value?.workspace ?? nextSession.value.workspace}
          onClose={close}
          onChosen={({ path }) => { void pickFolder(opened, path) }}
        />
      )
    case 'attempts': return <BeginDialog opened={opened} onClose={close} />
    case 'usage': return <UsageDialog opened={opened} onClose={close} />
    case 'output': return (
      <Dialog open onClose={close} title={screenWords.value.commands.output(dialog.command)} actions={<CopyButton text={dialog.text} />}>
        <pre class='composer-output' tabIndex={0}>{dialog.text}</pre>
      </Dialog>
    )
  }
}
