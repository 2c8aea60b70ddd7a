import { ApiError, type Api, type Wire } from '../service/api.js'
import { type BackgroundTasks } from '../conversation/background-tasks.js'
import { findCommand, isOwn, ownCommands, type Command, type TypedCommand } from './commands.js'
import { type Conversation } from '../conversation/conversation.js'
import { retryLast, type Resent } from '../conversation/resending.js'
import { branchSession, clearSession, compressSession, renameSession, undoLast } from '../sessions/session-actions.js'
import { updateSession } from '../sessions/session-settings.js'
import { type SideQuestions } from '../conversation/side-questions.js'
import { type Yolo } from '../conversation/yolo.js'

/** A place of the app that a command leads to. */
export type CommandPlace = 'new' | 'help' | 'model' | 'reasoning' | 'personality' | 'workspace' | 'profiles' | 'skills' | 'usage'

/** The messages of commands, in the person's language. */
interface CommandWords {
  needs: (command: string, hint: string) => string
  needsChat: string
  notRunning: string
  nothingToUndo: string
  nothingToRetry: string
  undone: string
  cleared: string
  compressing: string
  renamed: (title: string) => string
  modelSet: (model: string) => string
  noModel: (sought: string) => string
  someModels: (models: readonly string[]) => string
  effortSet: (effort: string) => string
  thinking: (isShown: boolean) => string
  personalitySet: (name: string | null) => string
  folderSet: (folder: string) => string
  skillSet: (name: string, isOn: boolean) => string
  skillUsage: string
  planning: (isOn: boolean) => string
  yolo: (isOn: boolean) => string
  onOff: string
  formats: string
}

/** The parts of the window that a command may use. */
export interface CommandContext {
  readonly api: Api
  readonly conversation: Conversation
  readonly sideQuestions: Pick<SideQuestions, 'ask'>
  readonly backgroundTasks: Pick<BackgroundTasks, 'start'>
  readonly yolo: Yolo
  readonly words: CommandWords
  /** Shows a message. With a session id, it offers to open the chat that keeps what was removed. */
  say: (text: string, keptSessionId?: string) => void
  show: (place: CommandPlace) => void
  open: (sessionId: string) => void
  giveBack: (resent: Resent) => void
  download: (format: 'json' | 'html') => void
  /** Changes the folder, model or project of the next new chat. */
  next: (change: { workspace?: string, model?: string, model_provider?: string }) => void
  /** Reloads everything for another profile. */
  reload: () => void
}

/**
 * The outcome of a command. `message`: it is for the agent and is sent as typed, or as `text`. `refused`: it is back in the box, with the
 * reason.
 */
export type CommandOutcome = { kind: 'done' } | { kind: 'message', text?: string } | { kind: 'refused', why: string | null }

const done: CommandOutcome = { kind: 'done' }
const refused = (why: string | null): CommandOutcome => ({ kind: 'refused', why })
const after = (isDone: boolean): CommandOutcome => isDone ? done : refused(null)

type Run = (context: CommandContext, args: string, command: Command) => Promise<CommandOutcome> | CommandOutcome

const sessionOf = ({ conversation }: CommandContext): string | null => conversation.sessionId.peek()

/** For commands that need a chat. */
const inChat = (run: (context: CommandContext, id: string, args: string) => Promise<CommandOutcome>): Run => async (context, args) => {
  const id = sessionOf(context)
  return id === null ? refused(context.words.needsChat) : await run(context, id, args)
}
/** For commands that need an argument. */
const withText = (run: Run): Run =>
  (context, args, command) => args === '' ? refused(context.words.needs(command.name, command.args_hint)) : run(context, args, command)

/** For commands that open a screen if they have no argument. */
const orShow = (place: CommandPlace, run: Run): Run => (context, args, command) => {
  if (args !== '') return run(context, args, command)
  context.show(place)
  return done
}

const goalWords = ['status', 'pause', 'resume', 'clear'] as const

/** The commands that this client runs itself. */
const builtIn: Readonly<Record<string, Run>> = {
  help: orShow('help', (context) => { context.show('help'); return done }),
  new: (context) => { context.show('new'); return done },
  usage: (context) => { context.show('usage'); return done },
  status: (context) => { context.show('usage'); return done },
  stop: async ({ conversation, words }) => {
    if (conversation.running.peek() === null) return refused(words.notRunning)
    await conversation.stop()
    return done
  },
  steer: withText(async ({ conversation, words }, args) =>
    conversation.running.peek() === null ? refused(words.notRunning) : after(await conversation.steer(args))),
  goal: async ({ conversation, say, words }, args, { name, args_hint: hint }) => {
    const word = goalWords.find((one) => one === (args === '' ? 'status' : args.toLowerCase()))
    if (word === undefined) return after(await conversation.pursue(args))
    if (conversation.sessionId.peek() === null) return refused(words.needs(name, hint))
    const answer = await conversation.actOnGoal(word)
    if (answer !== null) say(answer.message)
    return after(answer !== null)
  },
  btw: withText(async ({ conversation, sideQuestions }, args) => {
    await sideQuestions.ask(await conversation.ensure(), args)
    return done
  }),
  background: withText(async ({ conversation, backgroundTasks }, args) => {
    await backgroundTasks.start(await conversation.ensure(), args)
    return done
  }),
  clear: inChat(async (context, id) => {
    const { api, conversation, say, words } = context
    const kept = await copyOf(context, id)
    await clearSession(api, id)
    await conversation.reload()
    say(words.cleared, kept)
    return done
  }),
  title: withText(inChat(async ({ api, conversation, say, words }, id, args) => {
    const { session_id: sessionId, title } = await renameSession(api, id, args)
    conversation.syncRow({ session_id: sessionId, title })
    say(words.renamed(title))
    return done
  })),
  branch: inChat(async ({ api, open }, id, args) => {
    open((await branchSession(api, id, undefined, args === '' ? undefined : args)).session_id)
    return done
  }),
  undo: inChat(async (context, id) => {
    const { api, conversation, say, words } = context
    if (conversation.transcript.exchanges.peek().length === 0) return refused(words.nothingToUndo)
    const kept = await copyOf(context, id)
    if (await undoLast(api, id) === null) return refused(words.nothingToUndo)
    await conversation.reload()
    say(words.undone, kept)
    return done
  }),
  retry: inChat(async ({ conversation, giveBack, words }) => {
    const resent = await retryLast(conversation, { keepOld: true })
    if (resent === null) return refused(conversation.notice.peek() === null ? words.nothingToRetry : null)
    if (!resent.isSent) giveBack(resent)
    return done
  }),
  compress: inChat(async ({ api, conversation, say, words }, id, args) => {
    say(words.compressing)
    const { summary } = await compressSession(api, id, args === '' ? undefined : args)
    await conversation.reload()
    say([summary.headline, summary.token_line].filter((line) => line !== '').join(' · '))
    return done
  }),
  yolo: inChat(async ({ yolo, say, words }, id, args) => {
    const word = args.toLowerCase()
    if (!['', 'on', 'off'].includes(word)) return refused(words.onOff)
    say(words.yolo(await yolo.set(id, word === '' ? !await yolo.refresh(id) : word === 'on')))
    return done
  }),
  plan: async ({ conversation, say, words }, args) => {
    const word = args.toLowerCase()
    const isSwitch = ['', 'on', 'off'].includes(word)
    const isOn = word === '' ? conversation.session.peek()?.mode !== 'plan' : word !== 'off'
    await conversation.setPlanning(isOn)
    if (!isSwitch) return { kind: 'message', text: args }
    say(words.planning(isOn))
    return done
  },
  model: orShow('model', setModel),
  reasoning: orShow('reasoning', setReasoning),
  personality: orShow('personality', async ({ api, conversation, say, words }, args) => {
    const { personality } = await api.post('/api/personality/set', { session_id: await conversation.ensure(), name: args })
    await conversation.reload()
    say(words.personalitySet(personality))
    return done
  }),
  workspace: orShow('workspace', async (context, args) => {
    const id = sessionOf(context)
    if (id === null) context.next({ workspace: args })
    else {
      const { workspace } = await updateSession(context.api, id, { workspace: args })
      context.conversation.syncRow({ session_id: id, workspace })
    }
    context.say(context.words.folderSet(args))
    return done
  }),
  profile: orShow('profiles', async ({ api, reload }, args) => {
    await api.post('/api/profile/switch', { name: args })
    reload()
    return done
  }),
  skills: orShow('skills', async ({ api, show, say, words }, args) => {
    if (args === 'list') {
      show('skills')
      return done
    }
    const [, verb, skill] = /^(enable|disable)\s+(\S+)$/.exec(args) ?? []
    if (skill === undefined) return refused(words.skillUsage)
    const { name, enabled } = await api.post('/api/skills/toggle', { name: skill, enabled: verb === 'enable' })
    say(words.skillSet(name, enabled))
    return done
  }),
  export: inChat(async ({ download, words }, _id, args) => {
    const format = args === '' ? 'html' : args.toLowerCase()
    if (format !== 'html' && format !== 'json') return refused(words.formats)
    download(format)
    return done
  })
}

/**
 * Whether this client runs the command itself. A command of the profile or the folder may share its name with one that only this app knows.
 */
const isBuiltIn = (command: Command): boolean =>
  Object.hasOwn(builtIn, command.name) && (isOwn(command) || !ownCommands.some(({ name }) => name === command.name))

/**
 * The commands that the service runs and answers with a text. All other commands, including those of plugins, are messages for the model.
 */
const executed: ReadonlySet<string> = new Set(['reload-skills', 'reload-mcp', 'codex-runtime', 'credits'])

/** Runs a command. A failure is a refusal with its message, and the typed text returns to the box. */
export async function runCommand (
  context: CommandContext, commands: readonly Command[], { name, args }: TypedCommand
): Promise<CommandOutcome> {
  const command = findCommand(commands, name)
  if (command === null) return { kind: 'message' }
  const own = isBuiltIn(command) ? builtIn[command.name] : undefined
  const run = own ?? (executed.has(command.name) ? execute : undefined)
  if (run === undefined) return { kind: 'message' }
  try {
    return await run(context, args, command)
  } catch (error) {
    if (error instanceof ApiError) return refused(error.message)
    throw error
  }
}

async function execute ({ api, say }: CommandContext, args: string, { name }: Command): Promise<CommandOutcome> {
  const { output } = await api.post('/api/commands/exec', { command: `/${name} ${args}`.trim() })
  say(output)
  return done
}

/** Returns the model with that name; if there is none, all models whose names contain the words. */
function modelsNamed (reply: Pick<Wire<'ModelsReply'>, 'groups'>, sought: string): Array<{ model: string, provider: string }> {
  const search = sought.toLowerCase()
  const all = reply.groups.flatMap(({ provider_id: provider, models, extra_models: extra }) =>
    [...models, ...extra].map(({ id, label }) => {
      const prefix = `@${provider}:`
      return { model: id.startsWith(prefix) ? id.slice(prefix.length) : id, provider, id, label }
    }))
  const named = all.filter(({ model, id, label }) => [model, id, label].some((name) => name.toLowerCase() === search))
  const found = named.length > 0 ? named.slice(0, 1) : all.filter(({ model, label }) => `${model} ${label}`.toLowerCase().includes(search))
  return found.map(({ model, provider }) => ({ model, provider }))
}

async function setModel (context: CommandContext, args: string): Promise<CommandOutcome> {
  const { api, conversation, words } = context
  const id = sessionOf(context)
  const found = modelsNamed(await api.get('/api/models', id === null ? {} : { session_id: id }), args)
  const [first] = found
  if (first === undefined) return refused(words.noModel(args))
  if (found.length > 1) return refused(words.someModels(found.slice(0, 5).map(({ model }) => model)))
  const change = { model: first.model, model_provider: first.provider }
  if (id === null) context.next(change)
  else {
    await updateSession(api, id, change)
    conversation.syncRow({ session_id: id, ...change })
  }
  context.say(words.modelSet(first.model))
  return done
}

async function setReasoning ({ api, conversation, say, words }: CommandContext, args: string): Promise<CommandOutcome> {
  const word = args.toLowerCase()
  if (word === 'show' || word === 'hide') {
    const { show_reasoning: isShown } = await api.post('/api/reasoning', { display: word })
    say(words.thinking(isShown))
    return done
  }
  const { model, model_provider: provider } = conversation.session.peek() ?? {}
  const {
    reasoning_effort: effort
  } = await api.post('/api/reasoning', { effort: word, ...(model == null ? {} : { model }), ...(provider == null ? {} : { provider }) })
  say(words.effortSet(effort))
  return done
}

/** Copies a chat that is about to lose messages, and returns the copy's id. A temporary chat has none: it would be a normal chat. */
async function copyOf ({ api, conversation }: CommandContext, id: string): Promise<string | undefined> {
  return conversation.session.peek()?.temporary === true ? undefined : (await branchSession(api, id)).session_id
}
