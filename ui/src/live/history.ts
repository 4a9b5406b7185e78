// The last few minutes of numbers as this page received them: the server stores none.

export interface Sample {
  at: number; // ms
  values: Record<string, number>;
}

const samplesMax = 300;

export class History {
  #samples: Sample[] = [];

  add(values: Record<string, number>, at: number): void {
    this.#samples.push({ at, values });
    if (this.#samples.length > samplesMax) this.#samples.shift();
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  series(name: string): number[] {
    return this.#samples.map((sample) => sample.values[name] ?? 0);
  }

  times(): number[] {
    return this.#samples.map((sample) => sample.at / 1000);
  }

  // The rate of a counter per second between consecutive samples. A counter that fell was reset.
  rates(name: string): number[] {
    return this.#samples.map((sample, i) => {
      const before = this.#samples[i - 1];
      if (!before) return 0;
      const rise = (sample.values[name] ?? 0) - (before.values[name] ?? 0);
      const seconds = (sample.at - before.at) / 1000;
      return rise >= 0 && seconds > 0 ? rise / seconds : 0;
    });
  }

  // The increase of a counter since the first sample.
  risen(name: string): number {
    const first = this.#samples[0]?.values[name] ?? 0;
    return Math.max(0, (this.#samples.at(-1)?.values[name] ?? 0) - first);
  }
}
