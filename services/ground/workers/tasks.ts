import { type ErrorCode } from '../errors.js'

/**
 * What worker threads do, by name: the slow work that must not hold up the event loop. Each task is declared where it is
 * written (`declare module … { interface Tasks { listFolder: typeof listFolder } }`). Input and result are plain values that
 * can be cloned; a DomainError that a task throws arrives as itself.
 */
export interface Tasks {}

export type TaskName = keyof Tasks
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0]
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>

/** Tasks of a kind wait for each other, and for nobody else: what takes long never holds up what somebody waits for. */
export type Kind = 'quick' | 'searching' | 'showing' | 'keeping' | 'bringing' | 'long'
export type Kinds = { readonly [Name in TaskName]: Kind }

/** What crosses to a thread. */
export interface Order { task: TaskName, input: unknown }
/** A failure of the domain as it crosses the threads, where classes do not. */
export interface Failure { kind: string, message: string, code: ErrorCode | undefined, details: Record<string, unknown> }
export type Outcome = { result: unknown } | { failure: Failure }
