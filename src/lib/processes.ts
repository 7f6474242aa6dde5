/** A process's part of what the processes of one node have together: at least one, and never too few in sum. */
export const partOf = (whole: number, processes: number): number => Math.ceil(whole / processes)
