import type { Profile, ProfileNode } from './groups.ts'
import type { Inspector } from './inspector.ts'

/** Starts to measure something in a process; the result stops it and gives what was measured. */
export type Recorder = (inspector: Inspector) => Promise<() => Promise<Profile>>

const CPU_SAMPLING_MICROS = 200
const HEAP_SAMPLING_BYTES = 2048

/** Microseconds of the main thread. */
export const recordCpu: Recorder = async (inspector) => {
  await inspector.send('Profiler.enable')
  await inspector.send('Profiler.setSamplingInterval', { interval: CPU_SAMPLING_MICROS })
  await inspector.send('Profiler.start')
  return async () => {
    const { profile } = (await inspector.send('Profiler.stop')) as { profile: CpuProfile }
    return { nodes: profile.nodes, samples: profile.samples, weights: profile.timeDeltas }
  }
}

interface CpuProfile {
  nodes: ProfileNode[]
  samples: number[]
  timeDeltas: number[]
}

/** Bytes that were allocated in the heap of the main thread, also those that were collected since. */
export const recordAllocations: Recorder = async (inspector) => {
  await inspector.send('HeapProfiler.enable')
  await inspector.send('HeapProfiler.startSampling', {
    samplingInterval: HEAP_SAMPLING_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  return async () => {
    const { profile } = (await inspector.send('HeapProfiler.stopSampling')) as { profile: { head: HeapNode } }
    const nodes = flat(profile.head)
    return {
      nodes: nodes.map(({ id, callFrame, children }) => ({ id, callFrame, children: children.map((one) => one.id) })),
      samples: nodes.map(({ id }) => id),
      weights: nodes.map(({ selfSize }) => selfSize),
    }
  }
}

interface HeapNode {
  id: number
  callFrame: ProfileNode['callFrame']
  selfSize: number
  children: HeapNode[]
}

const flat = (node: HeapNode): HeapNode[] => [node, ...node.children.flatMap(flat)]
