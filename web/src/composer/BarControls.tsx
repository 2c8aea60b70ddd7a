import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { prompts, settings } from '../app.js'
import { worstBudget } from '../core/settings/budget-use.js'
import { folderName, machineOf } from '../core/machines/location.js'
import { nextSession, yolo, type OpenChat } from '../conversation/open-chat.js'
import { effortOf, effortsOf } from '../models/effort.js'
import { shownName } from '../models/shown-name.js'
import { catalogIn } from '../models/store.js'
import { useResource } from '../ui/Loaded.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { ChevronDown, Folder, ListTodo, Shield, ShieldOff } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { MachineBadge } from '../ui/MachineBadge.js'
import { Menu } from '../ui/Menu.js'
import { isPhone } from '../ui/screen.js'
import { words } from '../words/index.js'
import { budgetsOf, refreshBudgets } from './budgets.js'
import { boxDialog } from './dialogs.js'
import { modelOf, placeOf } from './session-model.js'
import { budgetText } from './usage-words.js'

const YoloDialog = lazy(async () => (await import('../conversation/YoloDialog.js')).YoloDialog, { waiting: null })

/**
 * The folder of a new chat, the model with its effort, whether the agent asks for permission, and the use of the context and the budget.
 */
export function BarControls ({ opened }: { opened: OpenChat }) {
  const id = opened.conversation.sessionId.value
  return (
    <div class='composer-facts'>
      <div class='composer-choosers'>
        {id === null ? <FolderChip /> : null}
        <ModelChip opened={opened} />
        <AccessChip opened={opened} />
      </div>
      {id === null ? null : <Used opened={opened} id={id} />}
    </div>
  )
}

/** The folder of a new chat; an existing chat has it in its header. */
function FolderChip () {
  const w = words.value.composer
  const usual = settings.values.value.default_workspace
  const folder = nextSession.value.workspace ?? (typeof usual === 'string' ? usual : null)
  const name = folder === null ? w.folder : folderName(folder)
  const machine = folder === null ? null : machineOf(folder)
  return (
    <Button
      kind='quiet' size='small' icon={Folder} class='composer-chip composer-folder' data-hint={folder ?? undefined} aria-haspopup='dialog'
      onClick={() => { boxDialog.value = { kind: 'workspace' } }}
    >
      <span class='visually-hidden'>{w.chooseFolder}: </span><bdi>{name}</bdi>
      {machine === null ? null : <MachineBadge name={machine} />}
      <Icon of={ChevronDown} size={14} />
    </Button>
  )
}

function ModelChip ({ opened }: { opened: OpenChat }) {
  const { composer: w, bar } = words.value
  useResource(catalogIn(placeOf(opened)))
  const choice = modelOf(opened)
  const state = effortOf(choice)
  useResource(state)
  const effort = effortsOf(state).length === 0 ? '' : state.value.value?.reasoning_effort ?? ''
  const isOpen = boxDialog.value?.kind === 'model'
  return (
    <Button
      kind='quiet' size='small' class='composer-chip composer-model' aria-haspopup='dialog' aria-expanded={isOpen}
      onClick={() => { boxDialog.value = isOpen ? null : { kind: 'model' } }}
    >
      <span class='visually-hidden'>{w.model}: </span><bdi>{choice === null ? w.model : shownName(choice.provider, choice.model)}</bdi>
      {effort === '' ? null : <span class='composer-effort'>· {bar.effortBrief(effort)}</span>}
      <Icon of={ChevronDown} size={14} />
    </Button>
  )
}

/** Shows whether the agent asks before dangerous steps in this chat. */
function AccessChip ({ opened: { conversation } }: { opened: OpenChat }) {
  const isAsking = useSignal(false)
  const w = words.value.composer
  const isOn = yolo.isOn(conversation.sessionId.value)
  const isPlanning = conversation.session.value?.mode === 'plan'
  const plan = (on: boolean): void => { if (on !== isPlanning) void attempt(async () => { await conversation.setPlanning(on) }) }
  const set = async (on: boolean): Promise<void> => {
    await attempt(async () => await yolo.set(await conversation.ensure(), on) === on)
  }
  return (
    <>
      <Menu
        label={w.access} icon={isPlanning ? ListTodo : isOn ? ShieldOff : Shield} after={ChevronDown} size='small' align='start'
        class={isOn && !isPlanning ? 'composer-chip composer-runs' : 'composer-chip'}
        items={[
          {
            text: w.asksFirst, note: w.asksFirstNote, checked: !isOn && !isPlanning,
            onPick: () => { plan(false); if (isOn) void set(false) }
          },
          { text: w.runs, note: w.runsNote, checked: isOn && !isPlanning, onPick: () => { plan(false); isAsking.value = !isOn } },
          { text: w.plans, note: w.plansNote, checked: isPlanning, onPick: () => plan(true) }
        ]}
      >
        <span class={isPhone.value ? 'visually-hidden' : undefined}>{isPlanning ? w.plans : isOn ? w.runs : w.asksFirst}</span>
      </Menu>
      {isAsking.value ? <YoloDialog onConfirm={() => { void set(true) }} onClose={() => { isAsking.value = false }} /> : null}
    </>
  )
}

/** Shows how full the context is, and the cost; opens the usage dialog. */
function Used ({ opened: { conversation }, id }: { opened: OpenChat, id: string }) {
  const isIdle = conversation.running.value === null
  // Each turn uses something, and an answered prompt may have turned asking off.
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
  // A request about a budget says the same beside it.
  const isAsked = prompts.of(id).some((one) => one.kind === 'approval' && one.prompt.budget !== undefined)
  const worst = isAsked ? null : worstBudget(budgetsOf(id))
  return (
    <>
      {worst === null
        ? null
        : <span class='composer-budget'><Badge kind={worst.state === 'hard' ? 'bad' : 'neutral'}>{budgetText(worst)}</Badge></span>}
      <Button
        kind='quiet' size='small' class='composer-used' aria-haspopup='dialog'
        onClick={() => { boxDialog.value = { kind: 'usage' } }}
      >
        <span class='visually-hidden'>{w.used(percent, cost)}</span>
        <span class='composer-share' aria-hidden>
          <span>{w.context(percent)}</span><span class='composer-cost'>{cost === null || cost === 0 ? '' : ` · ${w.cost(cost)}`}</span>
        </span>
      </Button>
    </>
  )
}
