import { type ErrorCode } from '../errors.js'

/**
 * The tasks of worker threads, by name: slow work that must not block the event loop. Each task is declared in its own module
 * (`declare module … { interface Tasks { listFolder: typeof listFolder } }`). Input and result are plain values that can be cloned; a
 * DomainError that a task throws arrives as a DomainError.
 */
export interface Tasks {}

export type TaskName = keyof Tasks
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0]
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>

/** Tasks wait only for others of their kind, so slow tasks never delay those that a person waits for. */
export type Kind = 'quick' | 'searching' | 'showing' | 'keeping' | 'bringing' | 'long'
export type Kinds = { readonly [Name in TaskName]: Kind }

/** A task as it is sent to a thread. */
export interface Order { task: TaskName, input: unknown }
/** A DomainError as it is sent between threads, which cannot pass classes. */
export interface Failure { kind: string, message: string, code: ErrorCode | undefined, details: Record<string, unknown> }
export type Outcome = { result: unknown } | { failure: Failure }
