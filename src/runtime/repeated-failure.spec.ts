import { Complaint } from './repeated-failure.js';

describe('a complaint', () => {
  it('is told once, again after half a minute, and whenever it changes', () => {
    const complaint = new Complaint();
    const told = [0, 200, 29_999, 30_000, 30_200].filter((at) => complaint.isNews('refused', at));
    expect(told).toEqual([0, 30_000]);
    expect(complaint.isNews('timed out', 30_300)).toBe(true);
    expect(complaint.isNews('refused', 30_400)).toBe(true);
  });

  it('is news again once it was over', () => {
    const complaint = new Complaint();
    complaint.isNews('refused', 0);
    complaint.over();
    expect(complaint.isNews('refused', 1)).toBe(true);
  });
});
