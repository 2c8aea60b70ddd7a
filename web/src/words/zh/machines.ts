import { type Words } from '../en/index.js'

export const machines: Words['machines'] = {
  here: '本机',
  where: '机器',
  named: (name, state) => `${name}（${state === 'away' ? '离线' : '无法使用'}）`,
  unread: (why) => `无法得知其他机器的状态。${why}`,
  brief: {
    away: (when) => `${when} 起离线`,
    refused: '无法使用',
    unknown: '未加入',
    off: '未设置',
    cut: '无法连接'
  },
  absent: {
    away: (name, when) => `${name} 自 ${when} 起离线。在它恢复之前，这里无法得到回答。`,
    awayRunning: (name, when) => `${name} 自 ${when} 起离线。如果它很快恢复，这个回答会继续。`,
    refused: (name) => `${name} 目前无法使用，详见“设置”中的“机器”。`,
    refusedFor: (name, why) => `${name} 无法使用：${why}`,
    unknown: (name) => `没有名为 ${name} 的机器加入。在它加入之前，这里无法得到回答。`,
    off: (name) => `这个对话在机器 ${name} 上工作，而这里没有设置其他机器。`,
    cut: (name) => `服务无法连接其他机器（包括 ${name}），正在不断重试。`,
    folderAway: (name, when) => `${name} 自 ${when} 起离线。`,
    folderNote: '机器恢复连接后，文件夹会自动重新显示在这里。在此期间，你仍可阅读对话。'
  },
  note: '工作可以交给你的其他电脑：每台有自己的文件夹、配置档案和密钥，对话仍留在这里。',
  off: '尚未设置。只需四步，另一台电脑就能为你工作：',
  steps: [
    '在将要运行 NATS 服务器的电脑上生成密钥，各台机器通过它相连：',
    '把证书放进密钥所在的文件夹（方法见指南），然后启动服务器：',
    '在本服务的环境变量中指明它和各文件的完整路径，然后重启服务：',
    '在另一台电脑上安装本服务，把它的密钥和 ca.crt 复制到服务的文件夹，填上要开放的文件夹后运行：'
  ],
  cut: '服务无法连接 NATS 服务器，正在不断重试。',
  none: '还没有机器加入。',
  join: '加入一台机器',
  joinNote:
    '先生成它的密钥（见指南），在那台机器上安装本服务，把密钥和 ca.crt 复制到其文件夹，填上你的值后运行：',
  copyCommand: '复制命令',
  guide: '指南：密钥、证书与自动启动',
  states: { ready: '就绪', away: '离线', refused: '无法使用' },
  since: (when) => `自 ${when} 起`,
  version: '版本',
  otherVersion: (its, ours) => `${its}；服务是 ${ours}。请更新较旧的一方。`,
  platform: '系统',
  profiles: '配置档案',
  models: '模型',
  sandbox: '沙箱',
  load: '负载',
  folders: '文件夹',
  some: (names, more) => `${names.join('、')}${more === 0 ? '' : `，另有 ${more} 个`}`,
  confined: '命令受到隔离',
  unconfined: (why) => why === '' ? '命令未受隔离' : `命令未受隔离：${why}`,
  loadOf: ({ busy, cores, freeMb, turns }) => `${busy.toFixed(1)} / ${cores} 核，空闲 ${(freeMb / 1_024).toFixed(1)} GiB，${turns} 轮进行中`,
  forget: '移除',
  forgetNamed: (name) => `移除 ${name}`,
  forgetTitle: (name) => `移除 ${name}？`,
  forgetNote: '在它再次加入之前，不再列出。它的对话会保留，以同样的名字恢复后可以继续。',
  forgotten: (name) => `${name} 已移除。`
}
