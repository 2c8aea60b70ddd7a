import { type Scenario } from '../scenario.js'
import { backupUnderLoad } from './backup.js'
import { clockJumps } from './clock-jumps.js'
import { commandsEnd } from './commands.js'
import { diskFull } from './disk-full.js'
import { killHost } from './kill-host.js'
import { killService } from './kill-service.js'
import { leftovers } from './leftovers.js'
import { lockedDatabase } from './locked-database.js'
import { limits } from './limits.js'
import { machines } from './machines.js'
import { killedMigrations } from './migrations.js'
import { modelFaults } from './model-faults.js'
import { newerDatabase } from './newer-database.js'
import { outliving } from './outliving.js'
import { oldDatabase } from './old-database.js'
import { peers } from './peers.js'
import { queues } from './queues.js'
import { reconnects } from './reconnects.js'
import { scale } from './scale.js'
import { silentReaders } from './silent-readers.js'
import { stateFolder } from './state-folder.js'
import { twoServers } from './two-servers.js'
import { updates } from './updates.js'

export const scenarios: Scenario[] = [
  killService, outliving, queues, killHost, commandsEnd, leftovers, diskFull, limits, modelFaults, peers, silentReaders, reconnects,
  clockJumps, twoServers, oldDatabase, killedMigrations, newerDatabase, stateFolder, lockedDatabase, backupUnderLoad, updates, scale,
  machines
]
