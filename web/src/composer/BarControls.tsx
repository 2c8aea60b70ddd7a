import { useEffect } from 'preact/hooks'
import { settings } from '../app.js'
import { worstBudget } from '../core/settings/budget-use.js'
import { folderName, machineOf } from '../core/machines/location.js'
import { nextSession, yolo, type Opened } from '../conversation/opened.js'
import { EffortPicker } from '../models/EffortPicker.js'
import { PersonalityPicker } from '../models/PersonalityPicker.js'
import { catalogIn } from '../models/store.js'
import { useResource } from '../settings/Loaded.js'
import { openSide } from '../side/open.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { ChevronDown, Folder, ShieldOff } from '../ui/icons.js'
import { MachineBadge } from '../ui/MachineBadge.js'
import { Menu } from '../ui/Menu.js'
import { Ring } from '../ui/Ring.js'
import { words } from '../words/index.js'
import { budgetsOf, refreshBudgets } from './budgets.js'
import { boxDialog } from './dialogs.js'
import { modelOf, placeOf } from './session-model.js'
import { budgetText } from './usage-words.js'

/** Shows the model, its effort and personality, the folder, and how much of the context and the budget is used. */
export function BarControls ({ opened }: { opened: Opened }) {
  const { conversation } = opened
  const session = conversation.session.value
  const id = conversation.sessionId.value
  useResource(catalogIn(placeOf(opened)))
  const choice = modelOf(opened)
  const w = words.value.composer
  const model = choice?.model
  return (
    <div class='composer-facts'>
      <div class='composer-choosers'>
        <Button
          kind='quiet' size='small' class='composer-model' aria-haspopup='dialog'
          onClick={() => { boxDialog.value = { kind: 'model' } }}
        >
          <span class='visually-hidden'>{w.model}: </span><bdi>{model ?? w.model}</bdi> <Icon of={ChevronDown} size={14} />
        </Button>
        <EffortPicker choice={choice} />
        {id === null
          ? null
          : <PersonalityPicker sessionId={id} current={session?.personality ?? null} onSet={() => { void conversation.reload() }} />}
        <FolderButton workspace={session?.workspace ?? nextSession.value.workspace ?? null} isNew={id === null} />
        {id !== null && yolo.isOn(id) ? <YoloMenu id={id} /> : null}
      </div>
      {id === null ? null : <Used opened={opened} id={id} />}
    </div>
  )
}

/** Opens the files of a chat; for a new chat, chooses its folder. */
function FolderButton ({ workspace, isNew }: { workspace: string | null, isNew: boolean }) {
  const w = words.value.composer
  const usual = settings.values.value.default_workspace
  const folder = workspace ?? (typeof usual === 'string' ? usual : null)
  const name = folder === null ? w.folder : folderName(folder)
  const machine = folder === null ? null : machineOf(folder)
  return (
    <Button
      kind='quiet' size='small' icon={Folder} class='composer-folder' data-hint={folder ?? undefined}
      onClick={() => { if (isNew) boxDialog.value = { kind: 'workspace' }; else openSide('files') }}
    >
      <span class='visually-hidden'>{isNew ? w.chooseFolder : w.showFiles}: </span><bdi>{name}</bdi>{machine === null
        ? null
        : <> <MachineBadge name={machine} /></>}
    </Button>
  )
}

function YoloMenu ({ id }: { id: string }) {
  const { yoloOn, askAlways } = words.value.conversation
  return (
    <Menu
      label={yoloOn} icon={ShieldOff} size='small' class='composer-yolo'
      items={[{ heading: yoloOn }, { text: askAlways, onPick: () => { void attempt(() => yolo.set(id, false).then(() => true)) } }]}
    >
      {words.value.composer.yolo}
    </Menu>
  )
}

/** Shows how full the context is, and the cost; opens the usage dialog. */
function Used ({ opened: { conversation }, id }: { opened: Opened, id: string }) {
  const isIdle = conversation.running.value === null
  // Each turn uses something, and an answered prompt may have allowed everything.
  useEffect(() => {
    if (!isIdle) return
    void refreshBudgets(id)
    void yolo.refresh(id)
  }, [id, isIdle])
  const session = conversation.session.value
  const w = words.value.composer
  if (session === null) return null
  const percent = session.window_usage_percent ?? 0
  const cost = session.estimated_cost
  const worst = worstBudget(budgetsOf(id))
  return (
    <>
      {worst === null
        ? null
        : <span class='composer-budget'><Badge kind={worst.state === 'hard' ? 'bad' : 'wait'}>{budgetText(worst)}</Badge></span>}
      <Button
        kind='quiet' size='small' class='composer-used' aria-haspopup='dialog'
        onClick={() => { boxDialog.value = { kind: 'usage' } }}
      >
        <span class='visually-hidden'>{w.used(percent, cost)}</span>
        <span class='composer-share' aria-hidden>
          <Ring share={percent / 100} /> <span>{w.context(percent)}{cost === null || cost === 0 ? '' : ` · ${w.cost(cost)}`}</span>
        </span>
      </Button>
    </>
  )
}
