import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { modelRefForm } from '../../agent/protocol.js'

/** An absolute path. Only a name with an absolute path means a folder of another machine: anything else would be a folder of this one. */
const Path = () => Type.String({ pattern: '^/[^\\0]*$', maxLength: 8_192 })
const Text = () => Type.String()
const Count = () => Type.Integer({ minimum: 0 })
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const oneOf = <const Words extends readonly string[]>(...words: Words) =>
  Type.Unsafe<Words[number]>(Type.Union(words.map((word) => Type.Literal(word))))
const form = <Body extends TSchema, Answer extends TSchema>(body: Body, answer: Answer) => ({ body, answer })

const Rules = Type.Object({ path: Path(), name: Text(), text: Text(), mtimeMs: Type.Number(), files: Type.Array(Path()) })
const Worktree = Type.Object({ path: Path(), branch: Text(), repoRoot: Path() })
const Command = Type.Object({
  name: Text(), description: Text(), category: Text(), aliases: Type.Array(Text()), argsHint: Text(), subcommands: Type.Array(Text())
})

const Profile = () => Type.String({ minLength: 1, maxLength: 100 })
const Wanted = Type.Object({ model: Type.Optional(orNull(Text())), provider: Type.Optional(orNull(Text())) })
const rates = {
  input: Type.Number({ minimum: 0 }), output: Type.Number({ minimum: 0 }), cacheRead: Type.Number({ minimum: 0 }),
  cacheWrite: Type.Number({ minimum: 0 })
}
const Price = Type.Object({
  ...rates, tiers: Type.Optional(Type.Array(Type.Object({ ...rates, inputTokensAbove: Type.Number() }), { maxItems: 20 }))
})
const Word = () => Type.String({ maxLength: 1_000 })
const ChosenModel = Type.Object({
  ref: modelRefForm, label: Word(), providerName: Type.Optional(Word()), contextLength: Type.Integer({ minimum: 1 }), cost: orNull(Price)
})
const ListedModels = Type.Array(Type.Object({
  id: Word(), label: Word(), contextLength: orNull(Type.Integer()), cost: orNull(Price), sees: orNull(Type.Boolean()),
  thinks: orNull(Type.Boolean())
}), { maxItems: 20_000 })
const ModelGroups = Type.Object({
  activeProvider: orNull(Word()),
  defaultModel: orNull(Word()),
  groups: Type.Array(Type.Object({
    providerId: Word(), displayName: Word(), models: ListedModels, extraModels: ListedModels, endpointError: orNull(Text())
  }), { maxItems: 1_000 }),
  aliases: Type.Record(Type.String(), Word()),
  badges: Type.Record(Type.String(), Type.Object({
    role: Type.Union([Type.Literal('primary'), Type.Literal('fallback'), Type.Literal('auxiliary')]), label: Word(), provider: Word(),
    tasks: Type.Array(Word(), { maxItems: 100 })
  }))
})

const Run = () => Type.String({ minLength: 1, maxLength: 100 })
const Printed = () => Type.String({ maxLength: 1_000_000 })
const CheckOffers = Type.Array(Type.Object({
  name: Word(), kind: oneOf('test', 'lint', 'types', 'other'), command: Word(), file: Word(), script: orNull(Type.String({ maxLength: 4_000 }))
}), { maxItems: 100 })
const CheckOutcome = Type.Object({
  passed: Type.Boolean(), output: Printed(), exitCode: orNull(Type.Integer()),
  ended: oneOf('exit', 'enough', 'abort', 'timeout', 'memory', 'processes', 'unstarted')
})

/**
 * What the service asks a machine about its folders: the form of each question and of its answer. A new question is one line here and one
 * in `machine/answers.ts`; both sides validate what they receive against these. Paths are those of the machine.
 */
export const questions = {
  /** The real path of a folder that may serve as a workspace there; with `create`, it is created. */
  folder: form(Type.Object({ path: Path(), create: Type.Optional(Type.Boolean()) }), Type.Object({ path: Path() })),
  /** Folders that complete the typed prefix. */
  suggest: form(Type.Object({ prefix: Type.String({ maxLength: 8_192 }) }), Type.Array(Path(), { maxItems: 1_000 })),
  /** What a turn is told about a workspace's own rules; see WorkspaceRules. */
  context: form(Type.Object({ workspace: Path() }), Type.Object({
    text: orNull(Text()), from: orNull(Text()),
    changed: Type.Optional(Type.Object({ records: Type.Array(Text()), diff: Text(), accepted: orNull(Text()) }))
  })),
  /** The file of the rules in force, and the files that it shadows. */
  rules: form(Type.Object({ workspace: Path() }), Type.Object({ inForce: orNull(Rules), shadowed: Type.Array(Path()) })),
  /** Commands that a workspace provides. */
  commands: form(Type.Object({ workspace: Path() }), Type.Array(Command, { maxItems: 2_000 })),
  /** The text that a model reads in place of a workspace command; null if there is no command of that name. */
  command: form(Type.Object({ workspace: Path(), name: Text(), args: Text() }), orNull(Type.Object({
    text: Text(),
    unaccepted: Type.Optional(Type.Object({ name: Text(), path: Text(), content: Text(), accepted: Text(), records: Type.Array(Text()) }))
  }))),
  worktree_create: form(
    Type.Object({ folder: Path(), sessionId: Text(), title: Type.Optional(Text()) }),
    Type.Object({ path: Path(), branch: Text(), repoRoot: Path(), workspace: Path() })
  ),
  worktree_status: form(Worktree, Type.Object({
    exists: Type.Boolean(), path: Path(), branch: Text(), dirtyFiles: Count(), untrackedFiles: Count(), ahead: Count(),
    merged: Type.Boolean(), locked: Type.Boolean()
  })),
  worktree_remove: form(
    Type.Object({ worktree: Worktree, force: Type.Boolean(), deleteBranch: Type.Optional(Type.Boolean()) }),
    Type.Object({ removed: Type.Boolean(), branchDeleted: Type.Boolean(), savedBranch: Type.Optional(Text()) })
  ),
  /** The models that a profile has there, as the picker shows them. */
  models: form(Type.Object({ profile: Profile() }), ModelGroups),
  /** The model that a turn there will use; see ChoiceElsewhere. */
  choose_model: form(
    Type.Object({
      profile: Profile(), wanted: Wanted, instead: orNull(Type.Object({ provider: Text(), model: Text() })), isOpen: Type.Boolean()
    }),
    Type.Union([ChosenModel, Type.Object({ error: Type.String({ maxLength: 2_000 }) })])
  ),
  /**
   * The state of a folder, as its listing shows it. The machine then watches the folder for as long as this question is repeated. It
   * reports a change as a notice (`folder`, with this id), upon which the service asks again.
   */
  watch_folder: form(
    Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }), workspace: Path(), path: Type.String({ maxLength: 8_192 }) }),
    Type.Object({ path: Type.String({ maxLength: 8_192 }), signature: orNull(Type.String({ maxLength: 200 })) })
  ),
  /** Ends the watch of a folder that no reader looks at any more. */
  unwatch_folder: form(Type.Object({ id: Type.String({ maxLength: 100 }) }), Type.Null()),
  /** The checks that files of a folder offer, and whether a profile's commands are confined there. */
  check_look: form(
    Type.Object({ profile: Profile(), workspace: Path(), sandbox: Type.Union([Type.Literal('auto'), Type.Literal('off')]) }),
    Type.Object({ proposals: CheckOffers, isConfined: Type.Boolean() })
  ),
  /**
   * Runs a check. Asking again with the same id does not start it again, and the check ends when it is no longer asked about. First ends
   * every check that another process of the service (`owner`) has begun, and any other in the folder.
   */
  check_begin: form(
    Type.Object({
      id: Run(), owner: Run(), profile: Profile(), workspace: Path(), command: Type.String({ minLength: 1, maxLength: 10_000 }),
      seconds: Type.Integer({ minimum: 1, maximum: 600 }), outputBytes: Type.Integer({ minimum: 1, maximum: 256 * 1_024 }),
      isConfined: Type.Boolean()
    }),
    Type.Null()
  ),
  /** The state of a check, as soon as it is over or `waitMs` have passed; null if no such check runs, or it ended a while ago. */
  check_told: form(
    Type.Object({ id: Run(), waitMs: Type.Integer({ minimum: 0, maximum: 60_000 }), withOutput: Type.Boolean() }),
    orNull(Type.Object({ result: orNull(CheckOutcome), output: orNull(Printed()) }))
  ),
  check_stop: form(Type.Object({ id: Run() }), Type.Null()),
  /** Drops a check whose result the service has received. */
  check_forget: form(Type.Object({ id: Run() }), Type.Null()),
  /** Paths of files below a folder; null for each that is not there, or not in it. */
  check_paths: form(
    Type.Object({ workspace: Path(), files: Type.Array(Type.String({ maxLength: 1_024 }), { maxItems: 5_000 }) }),
    Type.Array(orNull(Type.String({ maxLength: 8_192, pattern: '^[^/\\0][^\\0]*$' })), { maxItems: 5_000 })
  ),
  /** Whether files of a folder differ from those at the start of a turn, according to its checkpoint. */
  turn_changed: form(Type.Object({ workspace: Path(), streamId: Type.String({ maxLength: 200 }) }), Type.Boolean()),
  /** Which of these files, uploaded to sessions, the machine lacks, as indexes into the list. */
  missing_uploads: form(
    Type.Object({ files: Type.Array(Type.Object({ session: Text(), name: Text(), size: Count() }), { maxItems: 100_000 }) }),
    Type.Array(Count(), { maxItems: 100_000 })
  ),
  /** The sessions of which the machine keeps files. */
  kept_sessions: form(Type.Object({}), Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100_000 })),
  /** Removes the uploads of these sessions, which are no longer needed. */
  forget_sessions: form(Type.Object({ sessions: Type.Array(Text(), { maxItems: 10_000 }) }), Type.Null())
} as const

export type Question = keyof typeof questions
export type QuestionBody<Q extends Question> = Static<(typeof questions)[Q]['body']>
export type QuestionAnswer<Q extends Question> = Static<(typeof questions)[Q]['answer']>
