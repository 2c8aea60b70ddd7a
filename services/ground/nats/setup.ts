import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import { nanos } from '@nats-io/nats-core'
import { type NatsLink } from './link.js'
import { isFull } from './trouble.js'

/** A machine that has not announced itself for this long counts as gone. */
const presenceMs = 15_000
/** How long events are kept. What is not stored by then never will be. */
const keptMs = 3 * 24 * 3_600_000
/**
 * A message that is sent again within this time is dropped as a duplicate. The server keeps each message id for that long. Later
 * repetitions are recognised by their number.
 */
const duplicateMs = 60_000
const mib = 1_024 * 1_024
/** A smaller bucket would be useless. */
const leastObjectsMb = 16

export interface SetupOptions {
  /** How much of runs is kept until the service has stored it. When it is full, machines wait, and nothing is lost. */
  runsMb: number
  /** How much of large objects in transit is kept for each machine. */
  objectsMb: number
}

/** Creates or updates the stream and the bucket that machines need. Only the service may do this, not machines. */
export async function setUp ({ jsm, kvm, subjects }: NatsLink, { runsMb }: SetupOptions): Promise<void> {
  const runs = {
    name: subjects.runs,
    subjects: [subjects.everythingFrom],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    // When the stream is full, it refuses new messages, because the old ones are not stored by the service yet.
    discard: DiscardPolicy.New,
    max_bytes: runsMb * mib,
    max_age: nanos(keptMs),
    duplicate_window: nanos(duplicateMs),
    allow_direct: true
  }
  await jsm.streams.update(subjects.runs, runs).catch(async () => await jsm.streams.add(runs))
  await kvm.create(subjects.presence, { ttl: presenceMs, history: 1, storage: StorageType.File })
}

/**
 * Creates the bucket of a machine if there is none. The server must reserve the whole size at once, so a smaller bucket is created if it
 * has less room. Only the service does this.
 */
export async function setUpObjects ({ jsm, objm, subjects }: NatsLink, machine: string, { objectsMb }: SetupOptions): Promise<void> {
  const bucket = subjects.objects(machine)
  if (await jsm.streams.info(`OBJ_${bucket}`).then(() => true, () => false)) return
  for (let sizeMb = objectsMb; ; sizeMb /= 4) {
    try {
      await objm.create(bucket, { max_bytes: Math.round(sizeMb * mib), ttl: nanos(24 * 3_600_000), storage: StorageType.File })
      return
    } catch (error) {
      if (!isFull(error) || sizeMb / 4 < leastObjectsMb) throw error
    }
  }
}
