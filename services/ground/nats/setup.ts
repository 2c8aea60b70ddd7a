import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import { nanos } from '@nats-io/nats-core'
import { type NatsLink } from './link.js'
import { isFull } from './trouble.js'

/** A machine that has not told for so long that it is there is not there. */
const presenceMs = 15_000
/** What was not stored by then will not be. */
const keptMs = 3 * 24 * 3_600_000
/**
 * A message that is sent again within this time counts once. The server keeps each name for as long;
 * what comes later is found out by its number.
 */
const duplicateMs = 60_000
const mib = 1_024 * 1_024
/** A bucket that holds less would be of no use. */
const leastObjectsMb = 16

export interface SetupOptions {
  /** The most that is kept of runs until the service has stored it. When it is full, hosts wait, and nothing is lost. */
  runsMb: number
  /** The most that is kept of large things on their way, for each host. */
  objectsMb: number
}

/** Makes the stream and the bucket that hosts need, or changes them to what they are to be. For the service; hosts may not. */
export async function setUp ({ jsm, kvm, subjects }: NatsLink, { runsMb }: SetupOptions): Promise<void> {
  const runs = {
    name: subjects.runs,
    subjects: [subjects.everythingFrom],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    // Full, it refuses what comes: what is there already has not been stored yet.
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
 * The bucket of a host, made if it is not there; a smaller one where the server has no more to promise, which is
 * asked for all of it at once. For the service.
 */
export async function setUpObjects ({ jsm, objm, subjects }: NatsLink, host: string, { objectsMb }: SetupOptions): Promise<void> {
  const bucket = subjects.objects(host)
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
